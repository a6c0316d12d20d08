//! Identifies, logs and measures requests.
//!
//! Each request gets an id (`X-Request-Id`), a span, and at its end one line in the log, with its
//! metrics. Outside of Lambda, an error of the response body is another line.

use axum::{
    Router,
    body::{Body, HttpBody},
    extract::Request,
    middleware::{self, Next},
};
use domain::{
    env::Env, errors::error_chain, keys::KeySecret, uploads::ConfirmToken, webhooks::WebhookSecret,
};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use telemetry::{Meter, ResponseSummary, TaskOutcome};
use tracing::Span;

use crate::context::FunctionContext;

/// The header that identifies a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The header that marks the response of an earlier request.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// Number of seconds over which the retries after a 503 are spread.
const RETRY_SPREAD_SECONDS: u8 = 3;
/// Maximum length of a path in the log, in bytes.
const LOGGED_PATH_BYTES: usize = 256;
/// Prefixes of secrets that clients put into paths by mistake.
const SECRET_PREFIXES: [&str; 3] = [
    KeySecret::PREFIX,
    ConfirmToken::PREFIX,
    WebhookSecret::PREFIX,
];

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

    /// Adds the observer to a router. A body is sent after the log line of its request, so an error
    /// of the body is logged in a separate line.
    pub fn observe_all(self, router: Router) -> Router {
        router.layer(middleware::from_fn(move |request, next: Next| {
            let observer = self.clone();
            let respond = |request| respond_logging_body_errors(request, next);
            async move { observer.observe(request, respond).await }
        }))
    }

    /// Observes a request. Adds `X-Request-Id` to the response, and sets a random `Retry-After` of
    /// a 503.
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
        spread_retries(&mut response, &self.env);

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

/// Returns the response, which logs an error of its body within the current span, that of the
/// request.
async fn respond_logging_body_errors(request: Request, next: Next) -> Response<Body> {
    let response = next.run(request).await;
    // Bodies of a known size are in memory: handlers stream with `Body::from_stream`, which has no
    // exact size.
    if response.body().size_hint().exact().is_some() {
        return response;
    }

    let span = Span::current();
    response.map(|body| {
        Body::new(body.map_err(move |error| {
            let cause = error_chain(&error);
            span.in_scope(|| tracing::error!(cause, "response body ended early"));
            error
        }))
    })
}

/// Sets `Retry-After` of a 503 to 1 to [`RETRY_SPREAD_SECONDS`] at random, so that clients that
/// were rejected together do not return together.
fn spread_retries<B>(response: &mut Response<B>, env: &Env) {
    let is_busy = response.status() == StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    if !is_busy || !headers.contains_key(header::RETRY_AFTER) {
        return;
    }

    let [random] = env.random_bytes();
    let seconds = 1 + u16::from(random % RETRY_SPREAD_SECONDS);
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
}

/// Truncates a path for the log, and removes secrets, which belong into headers.
fn logged_path(path: &str) -> String {
    let logged: Vec<&str> = path.split('/').map(without_secret).collect();
    let logged = logged.join("/");
    logged[..logged.floor_char_boundary(LOGGED_PATH_BYTES)].to_owned()
}

/// Returns a segment of a path, or the prefix of the secret that it begins with.
fn without_secret(segment: &str) -> &str {
    let prefix = SECRET_PREFIXES.into_iter();
    let mut prefix = prefix.filter(|prefix| segment.starts_with(prefix));
    prefix.next().unwrap_or(segment)
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
    use std::{collections::BTreeSet, sync::Arc};

    use super::*;

    /// A stopped clock, and random bytes that are all `self.0`.
    struct Fixed(u8);

    impl domain::env::Clock for Fixed {
        fn now(&self) -> domain::env::Timestamp {
            domain::env::Timestamp::from_ms(0)
        }
    }

    impl domain::env::Random for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    /// Returns `Retry-After` of a response with this status that had one of a second.
    fn retry_after(status: StatusCode, random: u8) -> String {
        let env = Env::new(Arc::new(Fixed(random)), Arc::new(Fixed(random)));
        let mut response = Response::new(());
        *response.status_mut() = status;
        let second = HeaderValue::from_static("1");
        response.headers_mut().insert(header::RETRY_AFTER, second);
        spread_retries(&mut response, &env);
        let value = &response.headers()[header::RETRY_AFTER];
        value.to_str().expect("ASCII").to_owned()
    }

    #[test]
    fn retries_after_a_503_are_spread_over_seconds() {
        let busy = |random| retry_after(StatusCode::SERVICE_UNAVAILABLE, random);
        let values: BTreeSet<String> = (0..=255).map(busy).collect();
        assert_eq!(Vec::from_iter(values), ["1", "2", "3"]);

        let limited = retry_after(StatusCode::TOO_MANY_REQUESTS, 2);
        assert_eq!(limited, "1");
    }

    #[test]
    fn logged_path_contains_no_secrets() {
        for (path, logged) in [
            (
                "/api/v1/spaces/sk_NRNw/api-keys",
                "/api/v1/spaces/sk_/api-keys",
            ),
            ("/ct_abc", "/ct_"),
            ("/k3x9ab/whsec_abc", "/k3x9ab/whsec_"),
            ("/k3x9ab/task_1.jpg", "/k3x9ab/task_1.jpg"),
        ] {
            assert_eq!(logged_path(path), logged);
        }
    }

    #[test]
    fn logged_path_has_at_most_256_bytes() {
        assert_eq!(logged_path("/a"), "/a");
        assert_eq!(logged_path(&"/".repeat(10_000)).len(), 256);
        assert_eq!(logged_path(&format!("/{}", "é".repeat(300))).len(), 255);
    }
}
