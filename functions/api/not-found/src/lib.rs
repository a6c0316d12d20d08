//! The function behind the `$default` route of the HTTP API, which receives requests that match no
//! other route.
//!
//! It serves the OpenAPI document, and responds to preflight requests with 204, to other methods of
//! existing paths with 405 and `Allow`, and to unknown paths with 404. It reads no body, needs no key and
//! calls no other service.

mod document;

use axum::{Router, routing::get};
use runtime::{ConfigurationError, FunctionContext};

use document::Document;

/// The routes of the API, one method and path per line. Generated from the declarations of the
/// endpoints by the crate `openapi`.
const ROUTES: &str = include_str!("../routes.txt");

/// Creates the router of the function.
pub fn router(_: &FunctionContext) -> Result<Router, ConfigurationError> {
    let document = Document::new();
    let own = Router::new().route(
        document::PATH,
        get(async move |headers| document.response(&headers)),
    );
    let routes = format!("{ROUTES}GET {0}\nHEAD {0}\n", document::PATH);
    Ok(http_api::not_found_router(own, &routes))
}
