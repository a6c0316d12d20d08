//! `GET /account`: show who is calling, and which space is meant where none is named.

use web::{ApiError, Authenticated, Data, Endpoint};

use crate::views::AccountView;

pub(crate) const GET: Endpoint =
    Endpoint::get("getAccount", "/account", "Get the account of the API key");

pub(crate) async fn get(by: Authenticated) -> Result<Data<AccountView>, ApiError> {
    Ok(Data(view(&by).await?))
}

/// The caller's account as it is now.
pub(crate) async fn view(by: &Authenticated) -> Result<AccountView, ApiError> {
    let account = by.tenants().account(&by.caller).await?;
    Ok(AccountView::of(&account, by.env().now()))
}
