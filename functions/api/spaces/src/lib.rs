//! The endpoints of `/spaces`, of the keys under a space, and of `/account`.

mod account;
mod keys;
mod space;
mod views;

use axum::{Router, extract::FromRef};
use domain::MasterSecret;
use runtime::{ConfigurationError, Environment, Settings};
use tenant::{PurgeJob, Queue};
use web::{Cursors, Edge, Endpoints, Tier, routes};

/// What the endpoints need.
#[derive(Clone, FromRef)]
struct Spaces {
    edge: Edge,
    cursors: Cursors,
    purge: Queue<PurgeJob>,
    master: MasterSecret,
}

/// The function's router.
pub async fn router(environment: Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let edge = Edge::read(&environment, &mut settings, Tier::Admin);
    let purge = Queue::new(runtime::sqs(&mut settings), settings.text("PURGE_QUEUE_URL"));
    let master = runtime::master_secret(&mut settings).await;
    settings.finish()?;
    let state = Spaces { edge, cursors: Cursors::new(&master), purge, master };
    Ok(Endpoints::of("spaces")
        .on(routes::LIST_SPACES, space::list)
        .on(routes::CREATE_SPACE, space::create)
        .on(routes::GET_SPACE, space::get)
        .on(routes::UPDATE_SPACE, space::update)
        .on(routes::DELETE_SPACE, space::delete)
        .on(routes::SET_SPACE_ACCESS_CONTROL, space::set_access_control)
        .on(routes::RESET_SPACE_ACCESS_CONTROL, space::reset_access_control)
        .on(routes::SET_SPACE_SECURITY, space::set_security)
        .on(routes::RESET_SPACE_SECURITY, space::reset_security)
        .on(routes::GET_SIGNING_SECRET, space::get_signing_secret)
        .on(routes::ROTATE_SIGNING_SECRET, space::rotate_signing_secret)
        .on(routes::CREATE_KEY, keys::create)
        .on(routes::LIST_KEYS, keys::list)
        .on(routes::REVOKE_KEY, keys::revoke)
        .on(routes::GET_ACCOUNT, account::get)
        .on(routes::UPDATE_ACCOUNT, account::update)
        .on(routes::CREATE_ACCOUNT_KEY, account::create_key)
        .on(routes::LIST_ACCOUNT_KEYS, account::list_keys)
        .on(routes::REVOKE_ACCOUNT_KEY, account::revoke_key)
        .router(state))
}
