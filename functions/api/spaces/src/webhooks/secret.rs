//! `GET /spaces/:id/webhook-secret` and `POST /spaces/:id/webhook-secret/rotate`: get or replace
//! the secret that webhooks of a space are signed with.

use axum::extract::State;
use domain::{env::Timestamp, signing::MasterSecret, webhooks::WebhookSecret};
use http_api::{
    caller::{Can, ManageSpace},
    describe::Endpoint,
    response::{ApiError, Data, Rfc3339},
};
use runtime::aws::LazyMasterSecret;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) const GET: Endpoint = Endpoint::get(
    "getWebhookSecret",
    "/spaces/{id}/webhook-secret",
    "Get the webhook secret of a space",
)
.description(
    "The secret (`whsec_…`) has the format of Standard Webhooks, whose packages verify \
     `webhook-signature` with it. `previous` is the secret before the last rotation, with which \
     webhooks are signed too until it expires. Requires the role `owner`.",
);

pub(crate) const ROTATE: Endpoint = Endpoint::post(
    "rotateWebhookSecret",
    "/spaces/{id}/webhook-secret/rotate",
    "Replace the webhook secret of a space",
)
.description(
    "For 24 hours, webhooks have a signature by each of both secrets, so that receivers can \
     change to the new one without interruption. Each request rotates the secret again: before a \
     retry, check `getWebhookSecret`.",
);

/// The secrets that webhooks of a space are signed with.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookSecret")]
pub(crate) struct WebhookSecretView {
    /// The current secret: `whsec_` and the base64 of the key of the HMAC-SHA256.
    secret: String,
    /// The secret before the last rotation. Null if there was no rotation, or if it has expired.
    previous: Option<PreviousWebhookSecretView>,
}

/// A replaced secret, with which webhooks are signed too until it expires.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PreviousWebhookSecret")]
struct PreviousWebhookSecretView {
    /// The secret: `whsec_` and the base64 of the key of the HMAC-SHA256.
    secret: String,
    /// Time from which webhooks are not signed with this secret: 24 hours after the rotation.
    expires_at: Rfc3339,
}

impl WebhookSecretView {
    fn of(
        space: &domain::spaces::Space,
        master_secret: &MasterSecret,
        now: Timestamp,
    ) -> WebhookSecretView {
        let secret = |generation| WebhookSecret::of(space.id, generation, master_secret).reveal();
        let previous = space.webhook_signing.previous(now);
        WebhookSecretView {
            secret: secret(space.webhook_signing.generation),
            previous: previous.map(|previous| PreviousWebhookSecretView {
                secret: secret(previous.generation),
                expires_at: previous.expires_at.into(),
            }),
        }
    }
}

pub(crate) async fn get(
    can: Can<ManageSpace>,
    State(master_secret): State<LazyMasterSecret>,
) -> Result<Data<WebhookSecretView>, ApiError> {
    Ok(Data(WebhookSecretView::of(
        can.space.record(),
        master_secret.get().await?,
        can.env.now(),
    )))
}

pub(crate) async fn rotate(
    mut can: Can<ManageSpace>,
    State(master_secret): State<LazyMasterSecret>,
) -> Result<Data<WebhookSecretView>, ApiError> {
    let now = can.env.now();
    // Read first: if it is unavailable, nothing is rotated.
    let master_secret = master_secret.get().await?;
    let rotate = |space: &mut domain::spaces::Space| space.webhook_signing.rotate(now);
    can.space.change(rotate).await?;

    Ok(Data(WebhookSecretView::of(
        can.space.record(),
        master_secret,
        now,
    )))
}
