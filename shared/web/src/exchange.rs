//! What extractors learn of a request that its answer has to say: where the caller stands in their limit, and which
//! claim has to be given back if the request fails.

use std::sync::{Arc, Mutex, PoisonError};

use domain::Allowance;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, request::Parts};
use tenant::{Claim, Tenants};

const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// One request and its answer. All its copies are one.
#[derive(Clone, Default)]
pub(crate) struct Exchange(Arc<Mutex<Learned>>);

#[derive(Default)]
struct Learned {
    allowance: Option<Allowance>,
    claim: Option<(Tenants, Claim)>,
}

impl Exchange {
    /// The exchange of a request, where the layers made one.
    pub(crate) fn of(parts: &Parts) -> Exchange {
        parts.extensions.get().cloned().unwrap_or_default()
    }

    /// Notes what is left of the caller's requests.
    pub(crate) fn note_allowance(&self, allowance: Allowance) {
        self.learned(|learned| learned.allowance = Some(allowance));
    }

    /// Notes a claim that the request is at work under.
    pub(crate) fn note_claim(&self, tenants: Tenants, claim: Claim) {
        self.learned(|learned| learned.claim = Some((tenants, claim)));
    }

    /// Gives the claim back where the answer is no success: the same request may then be sent again. Where that fails,
    /// the claim ends with its lease.
    pub(crate) async fn end(&self, status: StatusCode) {
        let claim = self.learned(|learned| learned.claim.take());
        if let Some((tenants, claim)) = claim.filter(|_| !status.is_success())
            && let Err(error) = tenants.release(&claim).await
        {
            tracing::warn!(%error, "a claim was not given back");
        }
    }

    /// Puts what is left of the caller's requests into the answer's headers: as has long been done, and as the IETF's
    /// draft has it (draft-ietf-httpapi-ratelimit-headers-10).
    pub(crate) fn put_headers(&self, headers: &mut HeaderMap) {
        let Some(allowance) = self.learned(|learned| learned.allowance) else { return };
        let Allowance { name, limit, window_seconds, remaining, resets_in_seconds, resets_at } = allowance;
        headers.insert(X_LIMIT, HeaderValue::from(limit));
        headers.insert(X_REMAINING, HeaderValue::from(remaining));
        headers.insert(X_RESET, HeaderValue::from(resets_at.seconds()));
        let policy = format!("\"{name}\";q={limit};w={window_seconds}");
        let left = format!("\"{name}\";r={remaining};t={resets_in_seconds}");
        for (name, value) in [(POLICY, policy), (LIMIT, left)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
    }

    fn learned<T>(&self, with: impl FnOnce(&mut Learned) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
