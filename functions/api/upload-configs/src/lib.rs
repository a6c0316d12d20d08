//! The endpoints of `/upload-configs`.

mod create;
mod delete;
mod get;
mod list;
mod list_all;
mod settings;
mod update;
mod views;

use axum::{Router, extract::FromRef};
use runtime::{ConfigurationError, Environment, Settings};
use web::{Cursors, Edge, Endpoints, Tier, routes};

/// What the endpoints need.
#[derive(Clone, FromRef)]
struct UploadConfigs {
    edge: Edge,
    cursors: Cursors,
}

/// The function's router.
pub async fn router(environment: Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let edge = Edge::read(&environment, &mut settings, Tier::Admin);
    let cursors = Cursors::new(&runtime::master_secret(&mut settings).await);
    settings.finish()?;
    Ok(Endpoints::of("upload-configs")
        .on(routes::LIST_UPLOAD_CONFIGS, list::list)
        .on(routes::LIST_ALL_UPLOAD_CONFIGS, list_all::list_all)
        .on(routes::GET_UPLOAD_CONFIG, get::get)
        .on(routes::CREATE_UPLOAD_CONFIG, create::create)
        .on(routes::UPDATE_UPLOAD_CONFIG, update::update)
        .on(routes::DELETE_UPLOAD_CONFIG, delete::delete)
        .router(UploadConfigs { edge, cursors }))
}
