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
use http_api::{
    caller::{ApiState, RateLimitTier},
    describe::{Register, RouterBuilder},
    request::CursorSecret,
};
use runtime::context::{ConfigurationError, FunctionContext, Settings};

/// The rate limit tier of the endpoints.
pub const TIER: RateLimitTier = RateLimitTier::Admin;

/// State of the handlers.
#[derive(Clone, FromRef)]
pub struct UploadConfigsState {
    api: ApiState,
    cursor_secret: CursorSecret,
}

/// Adds the endpoints of this function to a router or a description.
pub fn endpoints<R: Register<UploadConfigsState>>(register: R) -> R {
    register
        .on(list::LIST, list::list)
        .on(list_all::LIST_ALL, list_all::list_all)
        .on(get::GET, get::get)
        .on(create::CREATE, create::create)
        .on(update::UPDATE, update::update)
        .on(delete::DELETE, delete::delete)
}

/// Creates the router of the function from its environment variables.
pub fn router(context: &FunctionContext) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(context);
    let api = ApiState::read(&mut settings, TIER);
    let cursor_secret = CursorSecret::new(settings.master_secret());
    settings.finish()?;

    let state = UploadConfigsState { api, cursor_secret };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}
