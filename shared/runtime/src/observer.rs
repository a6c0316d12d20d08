//! What every request passes first: its id, its span, and at its end a log line and a line of metrics.

use std::sync::Arc;

use axum::{
    Router,
    body::HttpBody,
    extract::Request,
    middleware::{self, Next},
};
use domain::Sources;
use http::{HeaderMap, HeaderName, HeaderValue, Response, header};
use telemetry::{Outcome, Task};

use crate::Environment;

/// The header that identifies a request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum length of a path in the log, in bytes.
const LOGGED_PATH_BYTES: usize = 256;

/// Observes the requests of one function.
#[derive(Clone)]
pub struct Observer {
    function: Arc<str>,
    sources: Sources,
}

/// Cause of an error response, left in its extensions for the log.
#[derive(Clone, Debug, Default)]
pub struct Cause {
    /// Messages of the error and its sources.
    pub text: String,
    /// Whether the request only lost a race against others.
    pub is_contention: bool,
}

impl Observer {
    /// Returns the observer of the function with this environment.
    pub fn of(environment: &Environment) -> Observer {
        Observer { function: environment.function().into(), sources: environment.sources.clone() }
    }

    /// Returns the router with its requests observed.
    pub fn around(self, router: Router) -> Router {
        router.layer(middleware::from_fn(move |request, next: Next| {
            let observer = self.clone();
            async move { observer.observe(request, |request| next.run(request)).await }
        }))
    }

    /// Responds to a request. The response identifies it in `X-Request-Id`.
    pub async fn observe<B, F>(&self, request: Request, respond: impl FnOnce(Request) -> F) -> Response<B>
    where
        B: HttpBody,
        F: Future<Output = Response<B>>,
    {
        let id = self.sources.ulid().to_string();
        let method = request.method().clone();
        let path = logged_path(request.uri().path());
        let bytes_in = size(request.body(), request.headers());

        let task = Task::request(&self.function, &id, method.as_str());
        let response = async {
            let mut response = respond(request).await;
            log(&mut response, &path, &task);
            response
        };
        let mut response = task.run(response).await;

        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        let status = response.status().as_u16();
        let bytes_out = size(response.body(), response.headers());
        task.end(Outcome::Answered { status, bytes_in, bytes_out }, self.sources.now());
        response
    }
}

fn log<B>(response: &mut Response<B>, path: &str, task: &Task) {
    let Cause { text: cause, is_contention } = response.extensions_mut().remove().unwrap_or_default();
    let status = response.status();
    let status_code = status.as_u16();
    let duration_ms = u64::try_from(task.elapsed().as_millis()).unwrap_or(u64::MAX);

    if !status.is_server_error() {
        tracing::info!(path, status = status_code, duration_ms, cause, "request");
    } else if is_contention {
        tracing::warn!(path, status = status_code, duration_ms, cause, "request lost a race");
    } else {
        tracing::error!(path, status = status_code, duration_ms, cause, "request failed");
    }
}

/// Cuts a path to what one log line holds.
fn logged_path(path: &str) -> String {
    path[..path.floor_char_boundary(LOGGED_PATH_BYTES)].to_owned()
}

/// Returns the size of a body in bytes; 0 if it is not known in advance.
fn size(body: &impl HttpBody, headers: &HeaderMap) -> u64 {
    let stated = || headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok();
    body.size_hint().exact().or_else(stated).unwrap_or_default()
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
