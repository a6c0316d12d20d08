//! The function behind the HTTP API's `$default` route: whatever no other route takes.
//!
//! It answers preflights, 405 with `Allow`, and 404. It reads no body and calls nothing.

use axum::Router;
use runtime::{ConfigurationError, Environment};

/// Every route of the API: a method and a path on each line. Written from the declarations of the
/// endpoints, see the crate `openapi`.
const ROUTES: &str = include_str!("../routes.txt");

/// The function's router.
pub fn router(_: &Environment) -> Result<Router, ConfigurationError> {
    Ok(web::not_found_router(ROUTES))
}
