//! `GET /spaces/:id/signing-secret` and `POST /spaces/:id/signing-secret/rotate`: what a space's addresses are signed by.

use axum::extract::State;
use domain::{MasterSecret, SigningSecret, Timestamp};
use serde::Serialize;
use web::{Can, Failure, ManageSpace, Ok};

/// The secrets that verify.
#[derive(Serialize)]
pub(crate) struct SigningSecretView {
    kid: String,
    secret: String,
    previous: Option<PreviousView>,
}

/// The secret before the present one.
#[derive(Serialize)]
struct PreviousView {
    kid: String,
    secret: String,
    expires_at: String,
}

impl SigningSecretView {
    fn of(space: &domain::Space, master: &MasterSecret, now: Timestamp) -> SigningSecretView {
        let secret = |generation| SigningSecret::of(space.id, generation, master).reveal().to_owned();
        let previous = space.signing.previous(now).map(|(generation, ends_at)| PreviousView {
            kid: generation.to_string(),
            secret: secret(generation),
            expires_at: ends_at.rfc3339(),
        });
        let generation = space.signing.generation;
        SigningSecretView { kid: generation.to_string(), secret: secret(generation), previous }
    }
}

pub(crate) async fn get_signing_secret(
    can: Can<ManageSpace>,
    State(master): State<MasterSecret>,
) -> Result<Ok<SigningSecretView>, Failure> {
    Result::Ok(Ok(SigningSecretView::of(can.space.record(), &master, can.sources.now())))
}

pub(crate) async fn rotate_signing_secret(
    mut can: Can<ManageSpace>,
    State(master): State<MasterSecret>,
) -> Result<Ok<SigningSecretView>, Failure> {
    let now = can.sources.now();
    can.space.change(|space| space.signing.rotate(now)).await?;
    Result::Ok(Ok(SigningSecretView::of(can.space.record(), &master, now)))
}
