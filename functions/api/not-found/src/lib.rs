//! The function behind the `$default` route of the HTTP API, which receives requests that match no
//! other route.
//!
//! It responds to preflight requests with 204, to other methods of existing paths with 405 and
//! `Allow`, and to unknown paths with 404. It reads no body and calls no other service.

use axum::Router;
use runtime::{ConfigurationError, FunctionContext};

/// The routes of the API, one method and path per line. Generated from the declarations of the
/// endpoints by the crate `openapi`.
const ROUTES: &str = include_str!("../routes.txt");

/// Creates the router of the function.
pub fn router(_: &FunctionContext) -> Result<Router, ConfigurationError> {
    Ok(http_api::not_found_router(ROUTES))
}
