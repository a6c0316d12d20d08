//! `GET /account`: show who is calling, and which space is meant where none is named.

use web::{ApiError, Authenticated, Data, Endpoint};

use crate::views::AccountView;

pub(crate) const GET: Endpoint =
    Endpoint::get("getAccount", "/account", "Get the account of the API key");

pub(crate) async fn get(auth: Authenticated) -> Result<Data<AccountView>, ApiError> {
    Ok(Data(view(&auth).await?))
}

/// The caller's account as it is now.
pub(crate) async fn view(auth: &Authenticated) -> Result<AccountView, ApiError> {
    let account = auth.tenants().account(&auth.caller).await?;
    Ok(AccountView::of(&account, auth.env().now()))
}
