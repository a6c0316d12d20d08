//! `DELETE /upload-configs`: delete the upload config whose id stands in the body, unless it is its
//! space's active one.

use domain::UploadConfig;
use web::{
    ApiError, Authenticated, Can, Endpoint, FieldReader, FromFields, ManageUploadConfigs,
    NoContent, ValidJson,
};

use crate::update::identifier;

pub(crate) const DELETE: Endpoint = Endpoint::delete(
    "deleteUploadConfig",
    "/upload-configs",
    "Delete an upload config",
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
            id: identifier(fields)?,
        })
    }
}

pub(crate) async fn delete(
    auth: Authenticated<ManageUploadConfigs>,
    ValidJson(DeleteUploadConfig { id }): ValidJson<DeleteUploadConfig>,
) -> Result<NoContent, ApiError> {
    let can: Can<ManageUploadConfigs, UploadConfig> = auth.can(&id).await?;
    can.space.delete_upload_config(can.resource).await?;
    Ok(NoContent)
}
