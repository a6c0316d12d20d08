//! The endpoints of `/spaces`, including the API keys and webhooks of a space, and of `/account`.

mod account;
mod keys;
mod space;
mod views;
mod webhooks;

use axum::{Router, extract::FromRef};
use http_api::{
    caller::{ApiState, RateLimitTier},
    describe::{Register, RouterBuilder},
    request::CursorSecret,
};
use renditions::Watermarks;
use runtime::{
    aws::LazyMasterSecret,
    context::{ConfigurationError, FunctionContext, Settings},
};
use space_store::jobs::{PurgeJob, Queue, WebhookJob};

use crate::space::cdn_domains::CdnDomains;

/// The rate limit tier of the endpoints.
pub const TIER: RateLimitTier = RateLimitTier::Admin;

/// State of the handlers.
#[derive(Clone, FromRef)]
pub struct SpacesState {
    api: ApiState,
    cursor_secret: CursorSecret,
    purge_queue: Queue<PurgeJob>,
    webhook_queue: Queue<WebhookJob>,
    master_secret: LazyMasterSecret,
    watermarks: Watermarks,
    cdn_domains: CdnDomains,
}

/// Adds the endpoints of this function to a router or a description.
pub fn endpoints<R: Register<SpacesState>>(register: R) -> R {
    register
        .on(space::list::LIST, space::list::list)
        .on(space::create::CREATE, space::create::create)
        .on(space::delete::DELETE, space::delete::delete)
        .on(space::get::GET, space::get::get)
        .on(space::update::UPDATE, space::update::update)
        .on(space::usage::GET, space::usage::get)
        .on(space::access_control::SET, space::access_control::set)
        .on(space::access_control::RESET, space::access_control::reset)
        .on(space::security::SET, space::security::set)
        .on(space::security::RESET, space::security::reset)
        .on(space::signing_secret::GET, space::signing_secret::get)
        .on(space::signing_secret::ROTATE, space::signing_secret::rotate)
        .on(webhooks::secret::GET, webhooks::secret::get)
        .on(webhooks::secret::ROTATE, webhooks::secret::rotate)
        .on(webhooks::list::LIST, webhooks::list::list)
        .on(webhooks::get::GET, webhooks::get::get)
        .on(
            webhooks::redeliver::REDELIVER,
            webhooks::redeliver::redeliver,
        )
        .on(keys::create::CREATE, keys::create::create)
        .on(keys::list::LIST, keys::list::list)
        .on(keys::revoke::REVOKE, keys::revoke::revoke)
        .on(account::get::GET, account::get::get)
        .on(account::update::UPDATE, account::update::update)
        .on(account::keys::CREATE, account::keys::create)
        .on(account::keys::LIST, account::keys::list)
        .on(account::keys::REVOKE, account::keys::revoke)
}

/// Creates the router of the function from its environment variables.
pub fn router(context: &FunctionContext) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(context);
    let api = ApiState::read(&mut settings, TIER);
    let purge_queue = settings.queue("PURGE_QUEUE_URL");
    let webhook_queue = settings.queue("WEBHOOKS_QUEUE_URL");
    let master_secret = settings.master_secret();
    let watermarks = Watermarks::read(&mut settings);
    let cdn_domains = CdnDomains::new(settings.cdn_domains());
    settings.finish()?;

    let state = SpacesState {
        api,
        cursor_secret: CursorSecret::new(master_secret.clone()),
        purge_queue,
        webhook_queue,
        master_secret,
        watermarks,
        cdn_domains,
    };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}
