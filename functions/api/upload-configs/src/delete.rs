//! `DELETE /upload-configs`: delete the upload config with the id in the body, unless it is the active
//! one of its space.

use domain::UploadConfig;
use http_api::{
    ApiError, Authenticated, Can, Endpoint, FieldReader, FromFields, ManageUploadConfigs,
    NoContent, ValidJson,
};

use crate::update::read_id;

pub(crate) const DELETE: Endpoint = Endpoint::delete(
    "deleteUploadConfig",
    "/upload-configs",
    "Delete the upload config with the id in the body",
)
.errors(&[
    (404, "The upload config does not exist."),
    (409, "The upload config is the active one of its space."),
]);

pub(crate) struct DeleteUploadConfig {
    id: String,
}

impl FromFields for DeleteUploadConfig {
    fn read(fields: &mut impl FieldReader) -> Option<DeleteUploadConfig> {
        Some(DeleteUploadConfig {
            id: read_id(fields)?,
        })
    }
}

/// Fails with 409 if the upload config is the active one of its space.
pub(crate) async fn delete(
    auth: Authenticated<ManageUploadConfigs>,
    ValidJson(request): ValidJson<DeleteUploadConfig>,
) -> Result<NoContent, ApiError> {
    let can: Can<ManageUploadConfigs, UploadConfig> = auth.can(&request.id).await?;
    can.space.upload_configs().delete(can.resource).await?;
    Ok(NoContent)
}
