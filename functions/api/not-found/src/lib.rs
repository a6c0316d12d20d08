//! The function behind the HTTP API's `$default` route: whatever no other route takes.
//!
//! It answers preflights, 405 with `Allow`, and 404. It reads no body and calls nothing.

use axum::Router;
use runtime::{ConfigurationError, Environment};

/// The function's router.
pub async fn router(_: Environment) -> Result<Router, ConfigurationError> {
    Ok(web::routes::not_found_router())
}
