//! `GET /account`: get the caller's API key, user and default space.

use http_api::{
    caller::Authenticated,
    describe::Endpoint,
    response::{ApiError, Data},
};

use crate::views::AccountView;

pub(crate) const GET: Endpoint =
    Endpoint::get("getAccount", "/account", "Get the account of the API key").description(
        "Identifies the caller: `key` is the key of the request, `user_id` the user of an account \
         key, and `role` the role of a space key. Requests that do not name a space use \
         `default_space_id`.",
    );

pub(crate) async fn get(auth: Authenticated) -> Result<Data<AccountView>, ApiError> {
    Ok(Data(account_view(&auth).await?))
}

/// Returns the view of the caller's account.
pub(crate) async fn account_view(auth: &Authenticated) -> Result<AccountView, ApiError> {
    let account = auth.tenants().accounts().get(&auth.caller).await?;
    Ok(AccountView::of(&account, auth.env().now()))
}
