//! What extractors learn of a request that its response has to say: where the caller stands in
//! their rate limit.

use std::sync::{Arc, Mutex, PoisonError};

use domain::RateLimitStatus;
use http::{HeaderMap, HeaderName, HeaderValue, request::Parts};

const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// One request and its response. All its copies are one.
#[derive(Clone, Default)]
pub(crate) struct RequestState(Arc<Mutex<Option<RateLimitStatus>>>);

impl RequestState {
    /// The exchange of a request, where the layers made one.
    pub(crate) fn of(parts: &Parts) -> RequestState {
        parts.extensions.get().cloned().unwrap_or_default()
    }

    /// Notes what is left of the caller's requests.
    pub(crate) fn note_allowance(&self, rate_limit: RateLimitStatus) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(rate_limit);
    }

    /// Puts what is left of the caller's requests into the answer's headers: as has long been done,
    /// and as the IETF's draft has it (draft-ietf-httpapi-ratelimit-headers-10).
    pub(crate) fn put_headers(&self, headers: &mut HeaderMap) {
        let Some(rate_limit) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) else {
            return;
        };
        let RateLimitStatus {
            name,
            limit,
            window_seconds,
            remaining,
            resets_in_seconds,
            resets_at,
        } = rate_limit;
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
