//! `POST`, `GET` and `DELETE /account/api-keys`: create, list and revoke the account keys of a
//! user, with one of them.

use domain::{
    errors::{FieldError, ServiceError},
    naming::KeyName,
};
use http_api::{
    caller::{AccountHolder, KeyPath},
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::{IdempotentJson, PageQuery, PageResponse},
    response::{ApiError, Created, NoContent},
};
use space_store::keys::NewKey;

use crate::{keys::create::expires_at, views::KeyView};

/// Path of the collection.
const PATH: &str = "/account/api-keys";

pub(crate) const CREATE: Endpoint =
    Endpoint::post("createAccountKey", PATH, "Create an account key").description(
        "Requires an account key. The new key acts for the same user, with the role of the user \
         in each space. Only this response contains the secret, as `key`; with an \
         `Idempotency-Key`, a retry within 24 hours returns it again instead of creating another \
         key.",
    );

pub(crate) const LIST: Endpoint = Endpoint::get("listAccountKeys", PATH, "List account keys")
    .description(
        "All account keys of the user from newest to oldest, with revoked and expired keys, which \
         have `is_active: false`; `next_cursor` continues the list. Secrets are never returned. \
         Requires an account key.",
    );

pub(crate) const REVOKE: Endpoint = Endpoint::delete(
    "revokeAccountKey",
    "/account/api-keys/{keyId}",
    "Revoke an account key",
)
.description(
    "The key is rejected with 401 from the next request on, also if it is the key of this \
     request, and stays in `listAccountKeys` with `is_active: false`. Upload URLs that it signed \
     end with it; delivery URLs end only when they expire or with `rotateSigningSecret`. A retry \
     with another key is safe, and returns 204 again.",
);

/// The new key. It has no role, since the role of an account key depends on the space.
pub(crate) struct CreateAccountKey(NewKey);

impl FromFields for CreateAccountKey {
    fn read(fields: &mut impl FieldReader) -> Option<CreateAccountKey> {
        if fields.has_value("role") {
            fields.reject(
                "role",
                &FieldError::Custom("must not be present for an account key"),
            );
        }
        let name = fields.required("name", KeyName::parse);
        let expires_at = expires_at(fields);

        Some(CreateAccountKey(NewKey {
            name: name?,
            role: None,
            expires_at,
        }))
    }
}

pub(crate) async fn create(
    AccountHolder { user, auth }: AccountHolder,
    body: IdempotentJson<CreateAccountKey>,
) -> Result<Created<KeyView>, ApiError> {
    body.run_once(async |CreateAccountKey(new), reservation| {
        let now = auth.env().now();
        let complete =
            |key: &_, secret: &_| reservation.complete(&KeyView::with_secret(key, secret, now));
        let created = auth
            .tenants()
            .accounts()
            .keys(user)
            .create(new, complete)
            .await?;

        Ok(KeyView::with_secret(&created.key, &created.secret, now))
    })
    .await
}

pub(crate) async fn list(
    AccountHolder { user, auth }: AccountHolder,
    request: PageQuery,
) -> Result<PageResponse<KeyView>, ApiError> {
    let page = auth
        .tenants()
        .accounts()
        .list_keys(user, request.page_request())
        .await?;

    let now = auth.env().now();
    Ok(request.response(page, |key| KeyView::of(&key, now)))
}

pub(crate) async fn revoke(
    AccountHolder { user, auth }: AccountHolder,
    KeyPath(id): KeyPath,
) -> Result<NoContent, ApiError> {
    let exists = auth.tenants().accounts().keys(user).revoke(id).await?;
    if exists {
        Ok(NoContent)
    } else {
        Err(ServiceError::not_found().into())
    }
}
