//! The endpoints of `/files`.

mod access_control;
mod by_ref;
mod delete;
mod get;
mod list;
mod protection;
mod read_only;
mod same_id;
mod shown;
mod signed_url;
mod update;
mod urls;

use axum::{Router, extract::FromRef};
use domain::MasterSecret;
use runtime::{ConfigurationError, Environment, Settings};
use tenant::{PurgeJob, Queue};
use web::{Cursors, Edge, Endpoints, Tier, routes};

/// What the endpoints need.
#[derive(Clone, FromRef)]
struct Files {
    edge: Edge,
    cursors: Cursors,
    master: MasterSecret,
    purge: Queue<PurgeJob>,
    cdn_url: String,
}

/// The function's router.
pub async fn router(environment: Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let edge = Edge::read(&environment, &mut settings, Tier::Admin);
    let purge = Queue::new(runtime::sqs(&mut settings), settings.text("PURGE_QUEUE_URL"));
    let cdn_url = settings.text("CDN_URL");
    let master = runtime::master_secret(&mut settings).await;
    settings.finish()?;
    let state = Files { edge, cursors: Cursors::new(&master), master, purge, cdn_url };
    Ok(Endpoints::of("files")
        .on(routes::LIST_FILES, list::list)
        .on(routes::UPDATE_NAMED_FILE, update::update_named)
        .on(routes::DELETE_NAMED_FILE, delete::delete_named)
        .on(routes::GET_FILE_BY_REF, by_ref::by_ref)
        .on(routes::FILE_URLS, urls::urls)
        .on(routes::GET_FILE, get::get)
        .on(routes::UPDATE_FILE, update::update)
        .on(routes::DELETE_FILE, delete::delete)
        .on(routes::SIGN_FILE_URL, signed_url::signed_url)
        .on(routes::SET_FILE_ACCESS_CONTROL, access_control::set)
        .on(routes::RESET_FILE_ACCESS_CONTROL, access_control::reset)
        .router(state))
}
