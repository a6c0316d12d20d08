//! The endpoints of `/upload`.

mod accept;
mod disposition;
mod form;
mod pieces;
mod upload;

use axum::{Router, extract::FromRef};
use runtime::{ConfigurationError, Environment, Settings};
use tenant::Originals;
use web::{Edge, Endpoints, Tier, routes};

/// What the endpoints need.
#[derive(Clone, FromRef)]
struct Uploads {
    edge: Edge,
    originals: Originals,
    cdn_url: String,
}

/// The function's router.
pub async fn router(environment: Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let edge = Edge::read(&environment, &mut settings, Tier::Upload);
    let originals = Originals::read(&mut settings);
    let state = Uploads { edge: edge.clone(), originals, cdn_url: settings.text("CDN_URL") };
    settings.finish()?;
    Ok(Endpoints::of("uploads").on(routes::UPLOAD, upload::upload).router(state, &edge))
}
