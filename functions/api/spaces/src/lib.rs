//! The endpoints of `/spaces` and of the keys under a space.

mod create;
mod create_key;
mod get;
mod list_keys;
mod revoke_key;
mod views;

use axum::Router;
use runtime::{ConfigurationError, Environment, Settings};
use web::{Edge, Endpoints, routes};

/// The function's router.
pub async fn router(environment: Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let edge = Edge::read(&environment, &mut settings);
    settings.finish()?;
    Ok(Endpoints::of("spaces")
        .on(routes::CREATE_SPACE, create::create)
        .on(routes::GET_SPACE, get::get)
        .on(routes::CREATE_KEY, create_key::create_key)
        .on(routes::LIST_KEYS, list_keys::list_keys)
        .on(routes::REVOKE_KEY, revoke_key::revoke_key)
        .router(edge.clone(), &edge))
}
