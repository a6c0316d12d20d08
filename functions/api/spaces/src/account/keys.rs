//! `POST`, `GET` and `DELETE /account/api-keys`: the caller's account keys, managed with one of them.

use axum::extract::RawPathParams;
use domain::{Fault, KeyId};
use web::{AccountHolder, Created, Failure, NoContent, Once, Page, PageRequest};

use crate::{
    keys::{CreateKey, key_id},
    views::KeyView,
};

pub(crate) async fn create_key(
    AccountHolder { user, by }: AccountHolder,
    Once { request: CreateKey(new), claim }: Once<CreateKey>,
) -> Result<Created<KeyView>, Failure> {
    let complete = |key: &_, secret: &_| claim.complete(&KeyView::with_secret(key, secret));
    let (key, secret) = by.tenants().account_keys(user).create(new, by.sources(), complete).await?;
    Ok(Created(KeyView::with_secret(&key, &secret)))
}

pub(crate) async fn list_keys(
    AccountHolder { user, by }: AccountHolder,
    request: PageRequest<KeyId>,
) -> Result<Page<KeyView>, Failure> {
    let page = by.tenants().account_keys(user).list(request.listing()).await?;
    Ok(request.page(page, |key| key.id, |key| Some(KeyView::from(&key))))
}

pub(crate) async fn revoke_key(
    AccountHolder { user, by }: AccountHolder,
    path: RawPathParams,
) -> Result<NoContent, Failure> {
    let is_known = by.tenants().account_keys(user).revoke(key_id(&path)?, by.sources().now()).await?;
    if is_known { Ok(NoContent) } else { Err(Fault::not_found().into()) }
}
