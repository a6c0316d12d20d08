//! `DELETE /upload-configs`: delete the upload config whose id stands in the body, unless it is its space's active one.

use domain::UploadConfig;
use web::{Authenticated, Can, Failure, Fields, ManageUploadConfigs, NoContent, Request, Valid};

use crate::update::identifier;

pub(crate) struct DeleteUploadConfig {
    id: String,
}

impl Request for DeleteUploadConfig {
    fn read(fields: &mut Fields) -> Option<DeleteUploadConfig> {
        Some(DeleteUploadConfig { id: identifier(fields)? })
    }
}

pub(crate) async fn delete(
    by: Authenticated,
    Valid(DeleteUploadConfig { id }): Valid<DeleteUploadConfig>,
) -> Result<NoContent, Failure> {
    let can: Can<ManageUploadConfigs, UploadConfig> = by.can(&id).await?;
    can.space.delete_upload_config(can.subject).await?;
    Ok(NoContent)
}
