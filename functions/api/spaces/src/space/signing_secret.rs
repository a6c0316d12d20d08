//! `GET /spaces/:id/signing-secret` and `POST /spaces/:id/signing-secret/rotate`: what a space's
//! addresses are signed by.

use axum::extract::State;
use domain::{MasterSecret, SigningSecret, Timestamp};
use runtime::LazyMasterSecret;
use schemars::JsonSchema;
use serde::Serialize;
use web::{ApiError, Can, Data, Endpoint, ManageSpace, Rfc3339};

pub(crate) const GET: Endpoint = Endpoint::get(
    "getSigningSecret",
    "/spaces/{id}/signing-secret",
    "Get the secret that signs URLs",
);

pub(crate) const ROTATE: Endpoint = Endpoint::post(
    "rotateSigningSecret",
    "/spaces/{id}/signing-secret/rotate",
    "Replace the secret that signs URLs",
);

/// The secrets that verify.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SigningSecretView {
    kid: String,
    secret: String,
    previous: Option<PreviousSecretView>,
}

/// The secret before the present one.
#[derive(Serialize, JsonSchema)]
struct PreviousSecretView {
    kid: String,
    secret: String,
    expires_at: Rfc3339,
}

impl SigningSecretView {
    fn of(space: &domain::Space, master: &MasterSecret, now: Timestamp) -> SigningSecretView {
        let secret = |generation| {
            SigningSecret::of(space.id, generation, master)
                .reveal()
                .to_owned()
        };
        let previous =
            space
                .signing
                .previous(now)
                .map(|(generation, ends_at)| PreviousSecretView {
                    kid: generation.to_string(),
                    secret: secret(generation),
                    expires_at: ends_at.into(),
                });
        let generation = space.signing.generation;
        SigningSecretView {
            kid: generation.to_string(),
            secret: secret(generation),
            previous,
        }
    }
}

pub(crate) async fn get(
    can: Can<ManageSpace>,
    State(master): State<LazyMasterSecret>,
) -> Result<Data<SigningSecretView>, ApiError> {
    Ok(Data(SigningSecretView::of(
        can.space.record(),
        master.get().await?,
        can.env.now(),
    )))
}

pub(crate) async fn rotate(
    mut can: Can<ManageSpace>,
    State(master): State<LazyMasterSecret>,
) -> Result<Data<SigningSecretView>, ApiError> {
    let now = can.env.now();
    let master = master.get().await?;
    can.space.change(|space| space.signing.rotate(now)).await?;
    Ok(Data(SigningSecretView::of(can.space.record(), master, now)))
}
