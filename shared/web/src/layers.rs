//! What every request passes through, outermost: a request id, CORS headers, where the caller stands in their limit, a
//! log line, and a net for panics.

use std::{any::Any, panic::AssertUnwindSafe};

use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use domain::{Allowance, Fault, Sources};
use futures::FutureExt;
use http::{HeaderName, HeaderValue, header};

use crate::{Failure, answer::Cause, exchange::Exchange};

/// The header that names a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum length of a path in the log, in bytes.
const LOGGED_PATH_BYTES: usize = 256;
/// The headers of ours that scripts may read.
const EXPOSED: &str = "Accept-Ranges, Allow, Content-Disposition, Content-Length, Content-Range, ETag, Idempotent-Replayed, \
                       Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Blurhash, X-Image-Height, \
                       X-Image-Width, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";

/// Puts the layers around a function's routes.
pub fn with_layers(router: Router, sources: Sources) -> Router {
    router.layer(middleware::from_fn_with_state(sources, around))
}

async fn around(State(sources): State<Sources>, mut request: Request, next: Next) -> Response {
    let id = sources.ulid().to_string();
    let started = sources.now();
    let method = request.method().clone();
    let path = logged_path(request.uri().path());

    let exchange = Exchange::default();
    request.extensions_mut().insert(exchange.clone());
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let panicked = |panic: Box<dyn Any + Send>| Failure::from(Fault::internal(panic_text(&*panic))).into_response();
    let mut response = answer.unwrap_or_else(panicked);
    exchange.end(response.status()).await;

    // A request may be refused by another limit than the one that it was counted by first.
    if let Some(allowance) = response.extensions_mut().remove::<Allowance>() {
        exchange.note_allowance(allowance);
    }

    let headers = response.headers_mut();
    exchange.put_headers(headers);
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }

    let status = response.status();
    let duration_ms = sources.now().ms() - started.ms();
    let Cause { text: cause, is_contention } = response.extensions_mut().remove().unwrap_or_default();
    if !status.is_server_error() {
        tracing::info!(request_id = id, %method, path, status = status.as_u16(), duration_ms, cause, "request");
    } else if is_contention {
        tracing::warn!(request_id = id, %method, path, status = status.as_u16(), duration_ms, cause, "request lost a race");
    } else {
        tracing::error!(request_id = id, %method, path, status = status.as_u16(), duration_ms, cause, "request failed");
    }
    response
}

/// Cuts a path to what one log line holds.
fn logged_path(path: &str) -> String {
    path[..path.floor_char_boundary(LOGGED_PATH_BYTES)].to_owned()
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_default())
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
