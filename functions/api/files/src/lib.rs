//! The endpoints of `/files`.

mod get;

use axum::{Router, extract::FromRef};
use runtime::{ConfigurationError, Environment, Settings};
use web::{Edge, Endpoints, Tier, routes};

/// What the endpoints need.
#[derive(Clone, FromRef)]
struct Files {
    edge: Edge,
    cdn_url: String,
}

/// The function's router.
pub async fn router(environment: Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let edge = Edge::read(&environment, &mut settings, Tier::Admin);
    let state = Files { edge: edge.clone(), cdn_url: settings.text("CDN_URL") };
    settings.finish()?;
    Ok(Endpoints::of("files").on(routes::GET_FILE, get::get).router(state, &edge))
}
