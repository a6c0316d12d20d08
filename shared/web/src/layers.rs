//! What every request passes through around its handler: a net for panics, headers for scripts of
//! other origins, and where the caller stands in their limit.

use std::any::Any;

use axum::{
    Router,
    extract::{MatchedPath, Request},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use domain::{RateLimitStatus, ServiceError};
use http::{HeaderValue, header};
use tower_http::catch_panic::CatchPanicLayer;

use crate::{ApiError, request_state::RequestState};

/// The headers of ours that scripts may read.
const EXPOSED: &str = "Accept-Ranges, Allow, Content-Disposition, Content-Length, Content-Range, ETag, Idempotent-Replayed, \
                       Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-RateLimit-Limit, \
                       X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";

/// Puts the layers around a function's routes.
pub fn with_layers(router: Router) -> Router {
    router
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn(around))
}

async fn around(mut request: Request, next: Next) -> Response {
    if let Some(route) = request.extensions().get::<MatchedPath>() {
        telemetry::record_route(route.as_str());
    }

    let exchange = RequestState::default();
    request.extensions_mut().insert(exchange.clone());
    let mut response = next.run(request).await;

    // A request may be refused by another limit than the one that it was counted by first.
    if let Some(rate_limit) = response.extensions_mut().remove::<RateLimitStatus>() {
        exchange.note_allowance(rate_limit);
    }

    let headers = response.headers_mut();
    exchange.put_headers(headers);
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    );
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED),
    );
    response
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature is tower-http's"
)]
fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    ApiError::from(ServiceError::internal(format!(
        "panicked: {}",
        text.unwrap_or_default()
    )))
    .into_response()
}
