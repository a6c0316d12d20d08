//! `GET /account`: show who is calling, and which space is meant where none is named.

use web::{Authenticated, Failure, Ok};

use crate::views::AccountView;

pub(crate) async fn get(by: Authenticated) -> Result<Ok<AccountView>, Failure> {
    Result::Ok(Ok(view(&by).await?))
}

/// The caller's account as it is now.
pub(crate) async fn view(by: &Authenticated) -> Result<AccountView, Failure> {
    let account = by.tenants().account(&by.caller).await?;
    Result::Ok(AccountView::of(&account, by.sources().now()))
}
