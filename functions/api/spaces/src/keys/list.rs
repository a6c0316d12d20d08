//! `GET /spaces/:id/api-keys`: list the API keys of a space, newest first, including revoked ones.

use http_api::{
    caller::{Listed, ManageKeys, SpacePath},
    describe::Endpoint,
    request::{PageQuery, PageResponse},
    response::ApiError,
};

use super::PATH;
use crate::views::KeyView;

pub(crate) const LIST: Endpoint =
    Endpoint::get("listSpaceKeys", PATH, "List the API keys of a space").description(
        "From newest to oldest, with revoked and expired keys, which have `is_active: false`; \
         `next_cursor` continues the list. Secrets are never returned: `last_four` and \
         `last_used_at` identify a key.",
    );

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
