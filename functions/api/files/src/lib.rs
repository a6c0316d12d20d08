//! The endpoints of `/files`.

mod access_control;
mod batch;
mod by_ref;
mod delete;
mod get;
mod list;
mod protection;
mod read_only;
mod restore;
mod signed_url;
mod transformation_fields;
mod update;
mod urls;
mod view;

use axum::{Router, extract::FromRef};
use http_api::{
    caller::{ApiState, RateLimitTier},
    describe::{Register, RouterBuilder},
    request::CursorSecret,
};
use runtime::{
    aws::LazyMasterSecret,
    context::{ConfigurationError, FunctionContext, Settings},
};
use space_store::files::DeletionQueues;

/// The rate limit tier of the endpoints.
pub const TIER: RateLimitTier = RateLimitTier::Admin;

/// Status of requests that change a file, or sign a URL of it.
const TRASHED: (u16, &str) = (409, "The file is in the trash.");

/// State of the handlers.
#[derive(Clone, FromRef)]
pub struct FilesState {
    api: ApiState,
    cursor_secret: CursorSecret,
    master_secret: LazyMasterSecret,
    deletion_queues: DeletionQueues,
    cdn_url: String,
}

/// Adds the endpoints of this function to a router or a description.
pub fn endpoints<R: Register<FilesState>>(register: R) -> R {
    register
        .on(list::LIST, list::list)
        .on(update::UPDATE_NAMED, update::update_named)
        .on(delete::DELETE_NAMED, delete::delete_named)
        .on(by_ref::BY_REF, by_ref::by_ref)
        .on(urls::URLS, urls::urls)
        .on(batch::BATCH, batch::batch)
        .on(get::GET, get::get)
        .on(update::UPDATE, update::update)
        .on(delete::DELETE, delete::delete)
        .on(restore::RESTORE, restore::restore)
        .on(signed_url::SIGN_URL, signed_url::signed_url)
        .on(access_control::SET, access_control::set)
        .on(access_control::RESET, access_control::reset)
}

/// Creates the router of the function from its environment variables.
pub fn router(context: &FunctionContext) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(context);
    let api = ApiState::read(&mut settings, TIER);
    let deletion_queues = DeletionQueues {
        purge: settings.queue("PURGE_QUEUE_URL"),
        webhooks: settings.queue("WEBHOOKS_QUEUE_URL"),
    };
    let cdn_url = settings.text("CDN_URL");
    let master_secret = settings.master_secret();
    settings.finish()?;

    let state = FilesState {
        api,
        cursor_secret: CursorSecret::new(master_secret.clone()),
        master_secret,
        deletion_queues,
        cdn_url,
    };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}
