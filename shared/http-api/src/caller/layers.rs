//! Middleware of every HTTP function: panics as 500, CORS headers and rate-limit headers.

use std::any::Any;

use axum::{
    Router,
    extract::{MatchedPath, Request},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use domain::errors::{RateLimitStatus, ServiceError};
use runtime::http::allow_all_origins;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{caller::request_state::RequestState, response::ApiError};

/// Response headers that scripts of any origin may read.
const EXPOSED_HEADERS: &str = "Accept-Ranges, Allow, Content-Disposition, Content-Length, Content-Range, ETag, \
                               Idempotent-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, \
                               WWW-Authenticate, X-Amzn-Remapped-Content-Length, X-Amzn-Remapped-WWW-Authenticate, \
                               X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Blurhash, \
                               X-Image-Height, X-Image-Width, X-Request-Id";

/// Adds the middleware to a function's routes.
pub fn with_layers(router: Router) -> Router {
    router
        .layer(CatchPanicLayer::custom(panic_response))
        .layer(middleware::from_fn(add_headers))
}

async fn add_headers(mut request: Request, next: Next) -> Response {
    if let Some(route) = request.extensions().get::<MatchedPath>() {
        telemetry::record_route(route.as_str());
    }

    let state = RequestState::default();
    request.extensions_mut().insert(state.clone());
    let mut response = next.run(request).await;

    // The limit of an error takes precedence over that of the caller, which was set first.
    if let Some(rate_limit) = response.extensions_mut().remove::<RateLimitStatus>() {
        state.set_rate_limit(rate_limit);
    }

    let headers = response.headers_mut();
    state.insert_headers(headers);
    allow_all_origins(headers, EXPOSED_HEADERS);
    response
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature is tower-http's"
)]
fn panic_response(panic: Box<dyn Any + Send>) -> Response {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or_default();
    ApiError::from(ServiceError::internal(format!("panicked: {message}"))).into_response()
}
