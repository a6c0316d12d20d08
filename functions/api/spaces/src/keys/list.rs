//! `GET /spaces/:id/api-keys`: list the API keys of a space, newest first, including revoked ones.

use web::{
    ApiError, Authenticated, Endpoint, Listed, ListedSpace, ManageKeys, PageQuery, PageResponse,
};

use super::PATH;
use crate::views::KeyView;

pub(crate) const LIST: Endpoint =
    Endpoint::get("listSpaceKeys", PATH, "List the API keys of a space");

pub(crate) async fn list(
    auth: Authenticated<ManageKeys>,
    space: ListedSpace,
    request: PageQuery,
) -> Result<PageResponse<KeyView>, ApiError> {
    let Listed { can, found: page } = auth
        .list(&space, async |lists| {
            lists.keys(request.page_request()).await
        })
        .await?;
    let now = can.env.now();
    Ok(request.response(page, |key| KeyView::of(&key, now)))
}
