//! `GET /upload-configs/:id`: show an upload config in full.

use domain::UploadConfig;
use web::{Can, Ok, ReadUploadConfigs};

use crate::views::DetailedUploadConfigView;

pub(crate) async fn get(can: Can<ReadUploadConfigs, UploadConfig>) -> Ok<DetailedUploadConfigView> {
    Ok(DetailedUploadConfigView::from(&can.subject))
}
