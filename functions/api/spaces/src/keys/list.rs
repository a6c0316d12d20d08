//! `GET /spaces/:id/api-keys`: list the API keys of a space, newest first, including revoked ones.

use http_api::{ApiError, Endpoint, Listed, ManageKeys, PageQuery, PageResponse, SpacePath};

use super::PATH;
use crate::views::KeyView;

pub(crate) const LIST: Endpoint =
    Endpoint::get("listSpaceKeys", PATH, "List the API keys of a space");

pub(crate) async fn list(
    space: SpacePath<ManageKeys>,
    request: PageQuery,
) -> Result<PageResponse<KeyView>, ApiError> {
    let Listed { can, found: page } = space
        .list(async |lists| lists.keys(request.page_request()).await)
        .await?;
    let now = can.env.now();
    Ok(request.response(page, |key| KeyView::of(&key, now)))
}
