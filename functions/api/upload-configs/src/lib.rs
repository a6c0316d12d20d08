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
use web::{ApiState, CursorSecret, RateLimitTier, Register, RouterBuilder};

/// Rate limit that requests count against.
pub const TIER: RateLimitTier = RateLimitTier::Admin;

/// What the endpoints need.
#[derive(Clone, FromRef)]
pub struct UploadConfigs {
    edge: ApiState,
    cursor_secret: CursorSecret,
}

/// Registers the function's endpoints.
pub fn endpoints<R: Register<UploadConfigs>>(register: R) -> R {
    register
        .on(list::LIST, list::list)
        .on(list_all::LIST_ALL, list_all::list_all)
        .on(get::GET, get::get)
        .on(create::CREATE, create::create)
        .on(update::UPDATE, update::update)
        .on(delete::DELETE, delete::delete)
}

/// The function's router.
pub fn router(environment: &Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(environment);
    let edge = ApiState::read(&mut settings, TIER);
    let cursor_secret = CursorSecret::new(settings.master_secret());
    settings.finish()?;

    let state = UploadConfigs {
        edge,
        cursor_secret,
    };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}
