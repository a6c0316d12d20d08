//! `POST /spaces/:id/api-keys`: create an API key of a space. Only this response contains its
//! secret.

use domain::{
    env::Timestamp,
    errors::{FieldError, parse_variant},
    naming::KeyName,
};
use http_api::{
    caller::{Can, ManageKeys},
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::IdempotentJson,
    response::{ApiError, Created},
};
use space_store::keys::NewKey;

use super::PATH;
use crate::views::KeyView;

pub(crate) const CREATE: Endpoint =
    Endpoint::post("createSpaceKey", PATH, "Create an API key of a space").description(
        "Only this response contains the secret, as `key`; with an `Idempotency-Key`, a retry \
         within 24 hours returns it again instead of creating another key. The key acts for \
         itself in this space: it manages only the files that it uploaded, unless its `role` is \
         `admin` or `owner`.",
    );

pub(crate) struct CreateKey(pub(crate) NewKey);

impl FromFields for CreateKey {
    fn read(fields: &mut impl FieldReader) -> Option<CreateKey> {
        let name = fields.required("name", KeyName::parse);
        // Only owners create keys, so no role is above the caller's.
        let role = fields.optional("role", parse_variant);
        let expires_at = expires_at(fields);
        fields.describe("role", "Role of the key. Default: the role of the caller.");

        Some(CreateKey(NewKey {
            name: name?,
            role,
            expires_at,
        }))
    }
}

/// Reads the time when a key expires, which must be in the future.
pub(crate) fn expires_at(fields: &mut impl FieldReader) -> Option<Timestamp> {
    let now = fields.now();
    let expires_at = fields.optional("expires_at", |text| {
        let expires_at = Timestamp::parse_rfc3339(text).ok_or(FieldError::NotADate)?;
        if expires_at > now {
            Ok(expires_at)
        } else {
            Err(FieldError::NotInTheFuture)
        }
    });
    fields.describe(
        "expires_at",
        "Time from which the key is rejected, in the future. Default: the key does not expire.",
    );
    expires_at
}

pub(crate) async fn create(
    can: Can<ManageKeys>,
    body: IdempotentJson<CreateKey>,
) -> Result<Created<KeyView>, ApiError> {
    body.run_once(async |CreateKey(new), reservation| {
        let now = can.env.now();
        let complete =
            |key: &_, secret: &_| reservation.complete(&KeyView::with_secret(key, secret, now));
        let created = can.space.keys().create(new, complete).await?;

        Ok(KeyView::with_secret(&created.key, &created.secret, now))
    })
    .await
}
