//! What extractors learn of a request that its response has to say: where the caller stands in
//! their rate limit.

use std::sync::{Arc, Mutex, PoisonError};

use domain::Allowance;
use http::{HeaderMap, HeaderName, HeaderValue, request::Parts};

const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// One request and its response. All its copies are one.
#[derive(Clone, Default)]
pub(crate) struct Exchange(Arc<Mutex<Option<Allowance>>>);

impl Exchange {
    /// The exchange of a request, where the layers made one.
    pub(crate) fn of(parts: &Parts) -> Exchange {
        parts.extensions.get().cloned().unwrap_or_default()
    }

    /// Notes what is left of the caller's requests.
    pub(crate) fn note_allowance(&self, allowance: Allowance) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(allowance);
    }

    /// Puts what is left of the caller's requests into the answer's headers: as has long been done,
    /// and as the IETF's draft has it (draft-ietf-httpapi-ratelimit-headers-10).
    pub(crate) fn put_headers(&self, headers: &mut HeaderMap) {
        let Some(allowance) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) else {
            return;
        };
        let Allowance {
            name,
            limit,
            window_seconds,
            remaining,
            resets_in_seconds,
            resets_at,
        } = allowance;
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
}
