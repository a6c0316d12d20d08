//! The endpoints of `/folders`.

mod access_control;
mod create;
mod delete;
mod get;
mod list;
mod security;
mod update;
mod views;

use axum::{Router, extract::FromRef};
use runtime::{ConfigurationError, Environment, Settings};
use web::{Cursors, Edge, Endpoints, Tier, routes};

/// What the endpoints need.
#[derive(Clone, FromRef)]
struct Folders {
    edge: Edge,
    cursors: Cursors,
}

/// The function's router.
pub async fn router(environment: Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let edge = Edge::read(&environment, &mut settings, Tier::Admin);
    let cursors = Cursors::new(&runtime::master_secret(&mut settings).await);
    settings.finish()?;
    Ok(Endpoints::of("folders")
        .on(routes::LIST_FOLDERS, list::list)
        .on(routes::CREATE_FOLDER, create::create)
        .on(routes::GET_FOLDER, get::get)
        .on(routes::UPDATE_FOLDER, update::update)
        .on(routes::DELETE_FOLDER, delete::delete)
        .on(routes::SET_FOLDER_ACCESS_CONTROL, access_control::set)
        .on(routes::RESET_FOLDER_ACCESS_CONTROL, access_control::reset)
        .on(routes::SET_FOLDER_SECURITY, security::set)
        .on(routes::RESET_FOLDER_SECURITY, security::reset)
        .router(Folders { edge, cursors }))
}
