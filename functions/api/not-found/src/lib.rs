//! The function behind the `$default` route of the HTTP API, which receives requests that match no
//! other route.
//!
//! It serves the OpenAPI document and the dashboard, and responds to preflight requests with 204,
//! to other methods of existing paths with 405 and `Allow`, and to unknown paths with 404. It reads
//! no body, needs no key and calls no other service.

mod asset;
mod dashboard;

use std::fmt::Write as _;

use axum::{Router, routing::get};
use runtime::context::{ConfigurationError, FunctionContext, Settings};

use asset::Asset;

/// The routes of the API, one method and path per line. Generated from the declarations of the
/// endpoints by the crate `openapi`.
const ROUTES: &str = include_str!("../routes.txt");
/// The committed document, which the crate `openapi` generates.
const DOCUMENT: &[u8] = include_bytes!("../../../../openapi.json");
/// Full path of the document.
const DOCUMENT_PATH: &str = "/api/v1/openapi.json";

/// Creates the router of the function.
pub fn router(context: &FunctionContext) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(context);
    let dashboard = dashboard::router(&mut settings);
    settings.finish()?;

    let document = Asset::new("application/json", DOCUMENT);
    let mut own = Router::new().route(
        DOCUMENT_PATH,
        get(async move |headers| document.response(&headers)),
    );
    let mut routes = ROUTES.to_owned();
    let mut paths = vec![DOCUMENT_PATH];
    if let Some(dashboard) = dashboard {
        own = own.merge(dashboard);
        paths.extend(dashboard::paths());
    }
    for path in paths {
        let _ = writeln!(routes, "GET {path}\nHEAD {path}");
    }
    Ok(http_api::describe::not_found_router(own, &routes))
}
