//! `DELETE /upload-configs`: delete the upload config with the id in the query or the body, unless
//! it is the active one of its space.

use domain::{errors::FieldErrors, uploads::UploadConfig};
use http_api::{
    caller::{Authenticated, Can, ManageUploadConfigs},
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::{ID, ResourceSelector, ValidJson, ValidQuery},
    response::{ApiError, NoContent},
};

use crate::update::{MISSING_ID, read_optional_id};

pub(crate) const DELETE: Endpoint = Endpoint::delete(
    "deleteUploadConfig",
    "/upload-configs",
    "Delete the upload config with the id in the query or the body",
)
.description(
    "The id may be in the query or in the body. Files that were uploaded with it stay, but \
     uploads that select it, also with signed URLs, are rejected. To delete the active upload \
     config, set another one with `updateSpace` first.",
)
.errors(&[
    (404, "The upload config does not exist."),
    (409, "The upload config is the active one of its space."),
]);

/// The id of the upload config in the body.
pub(crate) struct DeleteUploadConfig(ResourceSelector);

impl FromFields for DeleteUploadConfig {
    fn read(fields: &mut impl FieldReader) -> Option<DeleteUploadConfig> {
        let id = read_optional_id(fields);
        Some(DeleteUploadConfig(ResourceSelector { id }))
    }
}

/// Fails with 409 if the upload config is the active one of its space, and with 422 if neither the
/// query nor the body has an id, or if they have different ones.
pub(crate) async fn delete(
    auth: Authenticated<ManageUploadConfigs>,
    ValidQuery(query): ValidQuery<ResourceSelector>,
    ValidJson(DeleteUploadConfig(body)): ValidJson<DeleteUploadConfig>,
) -> Result<NoContent, ApiError> {
    query.require_same(&body)?;
    let id = query
        .id
        .or(body.id)
        .ok_or_else(|| FieldErrors::from((ID, MISSING_ID)))?;

    let can: Can<ManageUploadConfigs, UploadConfig> = auth.can(&id).await?;
    can.space.upload_configs().delete(can.resource).await?;
    Ok(NoContent)
}
