//! The endpoints of `/upload`.
//!
//! A file comes in by a form, with a key (`upload`), by a signed address (`signed`) or without any proof (`unsigned`); or it is
//! announced on one of these ways (`presign`), sent to storage, and confirmed (`confirm`).

mod accept;
mod confirm;
mod disposition;
mod form;
mod generate_signed_url;
mod part_headers;
mod particulars;
mod pieces;
mod presign;
mod promise;
mod signed;
mod store;
mod unsigned;
mod upload;

use axum::{Router, extract::FromRef};
use runtime::{ConfigurationError, Environment, Settings};
use tenant::{ConfirmCheck, Originals, Queue};
use web::{Edge, Endpoints, Strangers, Tier, routes};

/// What the endpoints need.
#[derive(Clone, FromRef)]
struct Uploads {
    edge: Edge,
    strangers: Strangers,
    originals: Originals,
    checks: Queue<ConfirmCheck>,
    cdn_url: String,
}

/// The function's router.
pub async fn router(environment: Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let edge = Edge::read(&environment, &mut settings, Tier::Upload);
    let originals = Originals::read(&mut settings);
    let checks = Queue::new(runtime::sqs(&mut settings), settings.text("CONFIRM_CHECK_QUEUE_URL"));
    let cdn_url = settings.text("CDN_URL");
    let master = runtime::master_secret(&mut settings).await;
    let strangers = Strangers::read(&mut settings, master);
    settings.finish()?;
    let state = Uploads { edge: edge.clone(), strangers, originals, checks, cdn_url };
    Ok(Endpoints::of("uploads")
        .on(routes::UPLOAD, upload::upload)
        .on(routes::GENERATE_SIGNED_URL, generate_signed_url::generate_signed_url)
        .on(routes::UPLOAD_SIGNED, signed::signed)
        .on(routes::UPLOAD_UNSIGNED, unsigned::unsigned)
        .on(routes::PRESIGN, presign::presign)
        .on(routes::PRESIGN_SIGNED, presign::presign_signed)
        .on(routes::PRESIGN_UNSIGNED, presign::presign_unsigned)
        .on(routes::CONFIRM, confirm::confirm)
        .router(state, &edge))
}
