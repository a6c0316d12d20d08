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
use web::{ApiState, CursorSecret, RateLimitTier, Register, RouterBuilder};

/// Rate limit that requests count against.
pub const TIER: RateLimitTier = RateLimitTier::Admin;

/// What the endpoints need.
#[derive(Clone, FromRef)]
pub struct Folders {
    edge: ApiState,
    cursor_secret: CursorSecret,
}

/// Registers the function's endpoints.
pub fn endpoints<R: Register<Folders>>(register: R) -> R {
    register
        .on(list::LIST, list::list)
        .on(create::CREATE, create::create)
        .on(get::GET, get::get)
        .on(update::UPDATE, update::update)
        .on(delete::DELETE, delete::delete)
        .on(access_control::SET, access_control::set)
        .on(access_control::RESET, access_control::reset)
        .on(security::SET, security::set)
        .on(security::RESET, security::reset)
}

/// The function's router.
pub fn router(environment: &Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(environment);
    let edge = ApiState::read(&mut settings, TIER);
    let cursor_secret = CursorSecret::new(settings.master_secret());
    settings.finish()?;

    let state = Folders {
        edge,
        cursor_secret,
    };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}
