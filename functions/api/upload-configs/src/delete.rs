//! `DELETE /upload-configs`: delete the upload config with the id in the query or the body, unless it is
//! the active one of its space.

use domain::{FieldError, FieldErrors, UploadConfig};
use http_api::{
    ApiError, Authenticated, Can, Endpoint, FieldReader, FromFields, ManageUploadConfigs,
    NoContent, ResourceId, ValidJson, ValidQuery,
};

use crate::update::{ID, MISSING_ID, read_optional_id};

/// The field error of two ids.
const DIFFERENT_IDS: FieldError =
    FieldError::Custom("must be the same in the path, the query and the body");

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

/// The id of the upload config in the query, which not every client can send in the body of a `DELETE`.
pub(crate) struct QueryId(Option<String>);

impl FromFields for QueryId {
    fn read(fields: &mut impl FieldReader) -> Option<QueryId> {
        let id = fields.optional(ID, ResourceId::parse);
        fields.describe(ID, "Id of the upload config.");
        Some(QueryId(id.map(|id| id.0)))
    }
}

/// The id of the upload config in the body.
pub(crate) struct DeleteUploadConfig(Option<String>);

impl FromFields for DeleteUploadConfig {
    fn read(fields: &mut impl FieldReader) -> Option<DeleteUploadConfig> {
        Some(DeleteUploadConfig(read_optional_id(fields)))
    }
}

/// Fails with 409 if the upload config is the active one of its space, and with 422 if neither the query
/// nor the body has an id, or if they have different ones.
pub(crate) async fn delete(
    auth: Authenticated<ManageUploadConfigs>,
    ValidQuery(QueryId(in_query)): ValidQuery<QueryId>,
    ValidJson(DeleteUploadConfig(in_body)): ValidJson<DeleteUploadConfig>,
) -> Result<NoContent, ApiError> {
    let id = match (in_query, in_body) {
        (Some(query), Some(body)) if !query.eq_ignore_ascii_case(&body) => {
            return Err(FieldErrors::from((ID, DIFFERENT_IDS)).into());
        }
        (query, body) => query.or(body),
    };
    let id = id.ok_or_else(|| FieldErrors::from((ID, MISSING_ID)))?;

    let can: Can<ManageUploadConfigs, UploadConfig> = auth.can(&id).await?;
    can.space.upload_configs().delete(can.resource).await?;
    Ok(NoContent)
}
