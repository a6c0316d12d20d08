//! `GET /upload-configs/all`: list the upload configs of all spaces in which the caller may read
//! them, sorted by space and then by config, both newest first.

use http_api::{
    caller::{Authenticated, ReadUploadConfigs},
    describe::Endpoint,
    request::{PageQuery, PageResponse},
    response::ApiError,
};

use crate::views::UploadConfigView;

pub(crate) const LIST_ALL: Endpoint = Endpoint::get(
    "listAllUploadConfigs",
    "/upload-configs/all",
    "List the upload configs of all spaces of the caller",
)
.description(
    "Sorted by space and then by upload config, both from newest to oldest; `next_cursor` \
     continues the list. Spaces in which the caller is only a `viewer` are omitted, and so are \
     the rules (`config`): only `getUploadConfig` returns them.",
);

pub(crate) async fn list_all(
    auth: Authenticated<ReadUploadConfigs>,
    page: PageQuery,
) -> Result<PageResponse<UploadConfigView>, ApiError> {
    let found = auth
        .tenants()
        .list_all_upload_configs(&auth.caller, page.page_request())
        .await?;
    Ok(page.response(found, |config| UploadConfigView::from(&config)))
}
