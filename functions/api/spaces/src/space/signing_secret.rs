//! `GET /spaces/:id/signing-secret` and `POST /spaces/:id/signing-secret/rotate`: get or replace
//! the secret that URLs of a space are signed with.

use axum::extract::State;
use domain::{
    env::Timestamp,
    signing::{MasterSecret, SigningSecret},
};
use http_api::{
    caller::{Can, ManageSpace},
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::ValidJson,
    response::{ApiError, Data, Rfc3339},
};
use runtime::aws::LazyMasterSecret;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) const GET: Endpoint = Endpoint::get(
    "getSigningSecret",
    "/spaces/{id}/signing-secret",
    "Get the signing secret of a space",
)
.description(
    "With the secret and its `kid`, a backend signs delivery and upload URLs without a request. \
     `previous` is the secret before the last rotation, as long as it verifies signatures. \
     Requires the role `owner`.",
);

pub(crate) const ROTATE: Endpoint = Endpoint::post(
    "rotateSigningSecret",
    "/spaces/{id}/signing-secret/rotate",
    "Replace the signing secret of a space",
)
.description(
    "Delivery and upload URLs of the previous secret stay valid for 24 hours; with `immediate: \
     true` they are rejected at once. Each request rotates the secret again, without an \
     `Idempotency-Key`, and ends the secret before the previous one: before a retry, compare \
     `kid` with `getSigningSecret`.",
);

/// The secrets that signatures of a space are verified with.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SigningSecret")]
pub(crate) struct SigningSecretView {
    /// Id of the secret: the parameter `kid` of signed URLs.
    kid: String,
    /// The current secret: the key of the HMAC-SHA256.
    secret: String,
    /// The secret before the last rotation. Null if there was no rotation, if it was immediate, or
    /// if the secret has expired.
    previous: Option<PreviousSecretView>,
}

/// A replaced secret, which still verifies signatures until it expires.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PreviousSigningSecret")]
struct PreviousSecretView {
    /// Id of the secret: the parameter `kid` of signed URLs.
    kid: String,
    /// The secret: the key of the HMAC-SHA256.
    secret: String,
    /// Time from which signatures with this secret are rejected: 24 hours after the rotation.
    expires_at: Rfc3339,
}

impl SigningSecretView {
    fn of(
        space: &domain::spaces::Space,
        master_secret: &MasterSecret,
        now: Timestamp,
    ) -> SigningSecretView {
        let secret = |generation| {
            SigningSecret::of(space.id, generation, master_secret)
                .reveal()
                .to_owned()
        };
        let previous = space
            .signing
            .previous(now)
            .map(|previous| PreviousSecretView {
                kid: previous.generation.to_string(),
                secret: secret(previous.generation),
                expires_at: previous.expires_at.into(),
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
    State(master_secret): State<LazyMasterSecret>,
) -> Result<Data<SigningSecretView>, ApiError> {
    Ok(Data(SigningSecretView::of(
        can.space.record(),
        master_secret.get().await?,
        can.env.now(),
    )))
}

pub(crate) struct RotateSecret {
    immediate: bool,
}

impl FromFields for RotateSecret {
    fn read(fields: &mut impl FieldReader) -> Option<RotateSecret> {
        let immediate = fields.boolean("immediate").unwrap_or_default();
        fields.describe(
            "immediate",
            "Whether all signed URLs end at once. Default: false, the previous secret verifies for 24 hours more.",
        );
        Some(RotateSecret { immediate })
    }
}

pub(crate) async fn rotate(
    mut can: Can<ManageSpace>,
    State(master_secret): State<LazyMasterSecret>,
    ValidJson(RotateSecret { immediate }): ValidJson<RotateSecret>,
) -> Result<Data<SigningSecretView>, ApiError> {
    let now = can.env.now();
    // Read first: if it is unavailable, nothing is rotated.
    let master_secret = master_secret.get().await?;
    let rotate = |space: &mut domain::spaces::Space| {
        if immediate {
            space.signing.rotate_at_once();
        } else {
            space.signing.rotate(now);
        }
    };
    can.space.change(rotate).await?;

    Ok(Data(SigningSecretView::of(
        can.space.record(),
        master_secret,
        now,
    )))
}
