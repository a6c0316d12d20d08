//! `POST /spaces/:id/api-keys`: make a key of a space. Its secret is in this answer and nowhere
//! else.

use domain::{FieldError, KeyName, Timestamp, parse_variant};
use tenant::NewKey;
use web::{ApiError, Can, Created, Endpoint, FieldReader, FromFields, IdempotentJson, ManageKeys};

use super::PATH;
use crate::views::KeyView;

pub(crate) const CREATE: Endpoint =
    Endpoint::post("createSpaceKey", PATH, "Create an API key of a space");

pub(crate) struct CreateKey(pub(crate) NewKey);

impl FromFields for CreateKey {
    fn read(fields: &mut impl FieldReader) -> Option<CreateKey> {
        let name = fields.required("name", KeyName::parse);
        // Whoever may make keys is an owner, above whom there is no role to be given.
        let role = fields.optional("role", parse_variant);
        let expires_at = expires_at(fields);

        Some(CreateKey(NewKey {
            name: name?,
            role,
            expires_at,
        }))
    }
}

/// Reads when a key expires: a time in the future.
pub(crate) fn expires_at(fields: &mut impl FieldReader) -> Option<Timestamp> {
    let now = fields.now();
    fields.optional("expires_at", |text| {
        let end = Timestamp::parse_rfc3339(text).ok_or(FieldError::NotADate)?;
        if end > now {
            Ok(end)
        } else {
            Err(FieldError::NotInTheFuture)
        }
    })
}

pub(crate) async fn create(
    can: Can<ManageKeys>,
    body: IdempotentJson<CreateKey>,
) -> Result<Created<KeyView>, ApiError> {
    body.run_once(async |CreateKey(new), reservation| {
        let now = can.env.now();
        let complete =
            |key: &_, secret: &_| reservation.complete(&KeyView::with_secret(key, secret, now));
        let (key, secret) = can.space.keys().create(new, complete).await?;
        Ok(KeyView::with_secret(&key, &secret, now))
    })
    .await
}
