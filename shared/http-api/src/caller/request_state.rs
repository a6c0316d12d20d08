//! State that extractors share with the response: the caller's rate limit.

use std::sync::{Arc, Mutex, PoisonError};

use domain::errors::RateLimitStatus;
use http::{HeaderMap, HeaderName, HeaderValue, request::Parts};

const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// State of one request, in its extensions. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct RequestState(Arc<Mutex<Option<RateLimitStatus>>>);

impl RequestState {
    /// Returns the state of a request; a new one outside of `with_layers`.
    pub(crate) fn of(parts: &Parts) -> RequestState {
        parts.extensions.get().cloned().unwrap_or_default()
    }

    /// Sets the rate limit that the response reports.
    pub(crate) fn set_rate_limit(&self, rate_limit: RateLimitStatus) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(rate_limit);
    }

    /// Adds the rate limit to a response: the `X-RateLimit-*` headers, and those of the IETF draft
    /// (draft-ietf-httpapi-ratelimit-headers-10).
    pub(crate) fn insert_headers(&self, headers: &mut HeaderMap) {
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
        let status = format!("\"{name}\";r={remaining};t={resets_in_seconds}");
        for (header, value) in [(POLICY, policy), (LIMIT, status)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(header, value);
            }
        }
    }
}
