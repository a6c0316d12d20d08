//! `GET /upload-configs/all`: list the upload configs of every space that the caller may read them in, newest space
//! first, and newest first within each.

use tenant::ConfigPlace;
use web::{Authenticated, Failure, Page, PageRequest, ReadUploadConfigs};

use crate::views::UploadConfigView;

pub(crate) async fn list_all(
    by: Authenticated,
    request: PageRequest<ConfigPlace>,
) -> Result<Page<UploadConfigView>, Failure> {
    by.might::<ReadUploadConfigs>()?;
    let page = by.tenants().list_all_upload_configs(&by.caller, request.listing()).await?;
    Ok(request.page(page, |(place, _)| *place, |(_, config)| config.as_ref().map(UploadConfigView::from)))
}
