//! `GET /spaces/:id/api-keys`: list the API keys of a space, newest first, including revoked ones.

use web::{ApiError, Can, Endpoint, ManageKeys, PageQuery, PageResponse};

use super::PATH;
use crate::views::KeyView;

pub(crate) const LIST: Endpoint =
    Endpoint::get("listSpaceKeys", PATH, "List the API keys of a space");

pub(crate) async fn list(
    can: Can<ManageKeys>,
    request: PageQuery,
) -> Result<PageResponse<KeyView>, ApiError> {
    let page = can.space.keys().list(request.page_request()).await?;
    let now = can.env.now();
    Ok(request.response(page, |key| KeyView::of(&key, now)))
}
