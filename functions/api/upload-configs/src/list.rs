//! `GET /upload-configs`: list the upload configs of a space, newest first, without their rules.

use http_api::{
    caller::{Authenticated, ReadUploadConfigs, SpaceQuery},
    describe::Endpoint,
    request::{ListQuery, PageResponse},
    response::ApiError,
};

use crate::views::UploadConfigView;

pub(crate) const LIST: Endpoint = Endpoint::get(
    "listUploadConfigs",
    "/upload-configs",
    "List the upload configs of a space",
)
.description(
    "From newest to oldest; `next_cursor` continues the list. The rules (`config`) are omitted: \
     only `getUploadConfig` returns them. Requires the role `user`.",
)
.errors(&[(404, "The space does not exist.")]);

pub(crate) async fn list(
    auth: Authenticated<ReadUploadConfigs>,
    ListQuery {
        page,
        filter: space,
        ..
    }: ListQuery<SpaceQuery>,
) -> Result<PageResponse<UploadConfigView>, ApiError> {
    let listed = auth
        .list(&space, async |lists| {
            lists.upload_configs(page.page_request()).await
        })
        .await?;
    Ok(page.response(listed.found, |config| UploadConfigView::from(&config)))
}
