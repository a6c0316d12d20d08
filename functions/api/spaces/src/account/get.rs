//! `GET /account`: get the caller's API key, user and default space.

use axum::extract::State;
use http_api::{ApiError, Authenticated, Data, Endpoint};

use crate::views::AccountView;

pub(crate) const GET: Endpoint =
    Endpoint::get("getAccount", "/account", "Get the account of the API key");

/// Base URL for form uploads that are too large for the API's own, if the deployment has one.
#[derive(Clone)]
pub(crate) struct LargeUploadsUrl(pub(crate) Option<String>);

pub(crate) async fn get(
    auth: Authenticated,
    State(large_uploads_url): State<LargeUploadsUrl>,
) -> Result<Data<AccountView>, ApiError> {
    Ok(Data(account_view(&auth, large_uploads_url).await?))
}

/// Returns the view of the caller's account.
pub(crate) async fn account_view(
    auth: &Authenticated,
    LargeUploadsUrl(large_uploads_url): LargeUploadsUrl,
) -> Result<AccountView, ApiError> {
    let account = auth.tenants().accounts().get(&auth.caller).await?;
    Ok(AccountView::of(
        &account,
        auth.env().now(),
        large_uploads_url,
    ))
}
