//! The endpoints of `/files`.

mod access_control;
mod by_ref;
mod delete;
mod get;
mod list;
mod named;
mod protection;
mod read_only;
mod shown;
mod signed_url;
mod update;
mod urls;

use axum::{Router, extract::FromRef};
use runtime::{ConfigurationError, Environment, LazyMasterSecret, Settings};
use tenant::{PurgeJob, Queue};
use web::{ApiState, CursorSecret, RateLimitTier, Register, RouterBuilder};

/// Rate limit that requests count against.
pub const TIER: RateLimitTier = RateLimitTier::Admin;

/// What the endpoints need.
#[derive(Clone, FromRef)]
pub struct Files {
    edge: ApiState,
    cursor_secret: CursorSecret,
    master: LazyMasterSecret,
    purge: Queue<PurgeJob>,
    cdn_url: String,
}

/// Registers the function's endpoints.
pub fn endpoints<R: Register<Files>>(register: R) -> R {
    register
        .on(list::LIST, list::list)
        .on(update::UPDATE_NAMED, update::update_named)
        .on(delete::DELETE_NAMED, delete::delete_named)
        .on(by_ref::BY_REF, by_ref::by_ref)
        .on(urls::URLS, urls::urls)
        .on(get::GET, get::get)
        .on(update::UPDATE, update::update)
        .on(delete::DELETE, delete::delete)
        .on(signed_url::SIGN_URL, signed_url::signed_url)
        .on(access_control::SET, access_control::set)
        .on(access_control::RESET, access_control::reset)
}

/// The function's router.
pub fn router(environment: &Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(environment);
    let edge = ApiState::read(&mut settings, TIER);
    let purge = settings.queue("PURGE_QUEUE_URL");
    let cdn_url = settings.text("CDN_URL");
    let master = settings.master_secret();
    settings.finish()?;

    let state = Files {
        edge,
        cursor_secret: CursorSecret::new(master.clone()),
        master,
        purge,
        cdn_url,
    };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}
