//! `GET /upload-configs?space_id=`: list the upload configs of a space, newest first, without what they ask of files.

use domain::UploadConfigId;
use http::Uri;
use web::{Authenticated, Can, Failure, Page, PageRequest, ReadUploadConfigs};

use crate::views::UploadConfigView;

pub(crate) async fn list(
    by: Authenticated,
    uri: Uri,
    request: PageRequest<UploadConfigId>,
) -> Result<Page<UploadConfigView>, Failure> {
    let can: Can<ReadUploadConfigs> = by.can_list(&uri).await?;
    let page = can.space.list_upload_configs(request.listing()).await?;
    Ok(request.page(page, |config| config.id, |config| Some(UploadConfigView::from(&config))))
}
