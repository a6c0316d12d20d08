//! Identifies, logs and measures requests.
//!
//! Each request gets an id (`X-Request-Id`), a span, and at its end one log line and one line of
//! metrics.

use axum::{
    Router,
    body::HttpBody,
    extract::Request,
    middleware::{self, Next},
};
use domain::Env;
use http::{HeaderMap, HeaderName, HeaderValue, Response, header};
use telemetry::{Meter, ResponseSummary, TaskOutcome};

use crate::FunctionContext;

/// The header that identifies a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The header that marks the response of an earlier request.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// Maximum length of a path in the log, in bytes.
const LOGGED_PATH_BYTES: usize = 256;

/// Observes the requests of one function.
#[derive(Clone)]
pub struct Observer {
    meter: Meter,
    env: Env,
}

/// Cause of an error response, for the log; stored in the response's extensions.
#[derive(Clone, Debug, Default)]
pub struct ErrorCause {
    /// Messages of the error and its sources.
    pub text: String,
    /// Whether the request only lost a race against others.
    pub is_contention: bool,
}

impl Observer {
    /// Returns the observer of a function.
    pub fn of(context: &FunctionContext) -> Observer {
        Observer {
            meter: context.meter(),
            env: context.env.clone(),
        }
    }

    /// Adds the observer to a router.
    pub fn observe_all(self, router: Router) -> Router {
        router.layer(middleware::from_fn(move |request, next: Next| {
            let observer = self.clone();
            async move { observer.observe(request, |request| next.run(request)).await }
        }))
    }

    /// Observes a request. Adds `X-Request-Id` to the response.
    pub async fn observe<B, F>(
        &self,
        request: Request,
        respond: impl FnOnce(Request) -> F,
    ) -> Response<B>
    where
        B: HttpBody,
        F: Future<Output = Response<B>>,
    {
        let id = self.env.ulid().to_string();
        let path = logged_path(request.uri().path());
        let bytes_in = size(request.body(), request.headers());

        let task = self.meter.request(&id, request.method().as_str(), path);
        let mut response = task.run(respond(request)).await;

        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        let cause = response.extensions_mut().remove::<ErrorCause>();
        task.end(&TaskOutcome::Responded(ResponseSummary {
            status: response.status().as_u16(),
            bytes_in,
            bytes_out: size(response.body(), response.headers()),
            is_contention: cause.as_ref().is_some_and(|cause| cause.is_contention),
            cause: cause.map(|cause| cause.text),
            is_replayed: response.headers().contains_key(REPLAYED),
        }));
        response
    }
}

/// Truncates a path for the log.
fn logged_path(path: &str) -> String {
    path[..path.floor_char_boundary(LOGGED_PATH_BYTES)].to_owned()
}

/// Returns the size of a body in bytes; 0 if it is not known in advance.
fn size(body: &impl HttpBody, headers: &HeaderMap) -> u64 {
    let content_length = || {
        headers
            .get(header::CONTENT_LENGTH)?
            .to_str()
            .ok()?
            .parse()
            .ok()
    };
    body.size_hint()
        .exact()
        .or_else(content_length)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logged_path_has_at_most_256_bytes() {
        assert_eq!(logged_path("/a"), "/a");
        assert_eq!(logged_path(&"/".repeat(10_000)).len(), 256);
        assert_eq!(logged_path(&format!("/{}", "é".repeat(300))).len(), 255);
    }
}
