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
use http_api::{
    caller::{ApiState, RateLimitTier},
    describe::{Register, RouterBuilder},
    request::CursorSecret,
};
use renditions::Watermarks;
use runtime::context::{ConfigurationError, FunctionContext, Settings};
use space_store::jobs::{PurgeJob, Queue};

/// The rate limit tier of the endpoints.
pub const TIER: RateLimitTier = RateLimitTier::Admin;

/// State of the handlers.
#[derive(Clone, FromRef)]
pub struct FoldersState {
    api: ApiState,
    cursor_secret: CursorSecret,
    watermarks: Watermarks,
    purge_queue: Queue<PurgeJob>,
}

/// Adds the endpoints of this function to a router or a description.
pub fn endpoints<R: Register<FoldersState>>(register: R) -> R {
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

/// Creates the router of the function from its environment variables.
pub fn router(context: &FunctionContext) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(context);
    let api = ApiState::read(&mut settings, TIER);
    let cursor_secret = CursorSecret::new(settings.master_secret());
    let watermarks = Watermarks::read(&mut settings);
    let purge_queue = settings.queue("PURGE_QUEUE_URL");
    settings.finish()?;

    let state = FoldersState {
        api,
        cursor_secret,
        watermarks,
        purge_queue,
    };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}
