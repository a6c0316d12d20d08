//! `POST`, `GET` and `DELETE /account/api-keys`: the caller's account keys, managed with one of them.

use axum::extract::RawPathParams;
use domain::{Fault, KeyId, Violation};
use tenant::NewKey;
use web::{AccountHolder, Created, Failure, Fields, NoContent, Once, Page, PageRequest, Request};

use crate::{
    keys::{CreateKey, key_id},
    views::KeyView,
};

/// A key without a role: an account key's is another in each space.
pub(crate) struct CreateAccountKey(NewKey);

impl Request for CreateAccountKey {
    fn read(fields: &mut Fields) -> Option<CreateAccountKey> {
        if fields.has("role") {
            fields.violate("role", &Violation::Must("must not be given for an account key"));
        }
        let CreateKey(new) = CreateKey::read(fields)?;
        Some(CreateAccountKey(new))
    }
}

pub(crate) async fn create_key(
    AccountHolder { user, by }: AccountHolder,
    Once { request: CreateAccountKey(new), claim }: Once<CreateAccountKey>,
) -> Result<Created<KeyView>, Failure> {
    let now = by.sources().now();
    let complete = |key: &_, secret: &_| claim.complete(&KeyView::with_secret(key, secret, now));
    let (key, secret) = by.tenants().account_keys(user).create(new, complete).await?;
    Ok(Created(KeyView::with_secret(&key, &secret, now)))
}

pub(crate) async fn list_keys(
    AccountHolder { user, by }: AccountHolder,
    request: PageRequest<KeyId>,
) -> Result<Page<KeyView>, Failure> {
    let page = by.tenants().account_keys(user).list(request.listing()).await?;
    let now = by.sources().now();
    Ok(request.page(page, |key| key.id, |key| Some(KeyView::of(&key, now))))
}

pub(crate) async fn revoke_key(
    AccountHolder { user, by }: AccountHolder,
    path: RawPathParams,
) -> Result<NoContent, Failure> {
    let is_known = by.tenants().account_keys(user).revoke(key_id(&path)?, by.sources().now()).await?;
    if is_known { Ok(NoContent) } else { Err(Fault::not_found().into()) }
}
