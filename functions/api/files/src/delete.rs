//! `DELETE /files/:id`, and `DELETE /files` with the id in the query or the body: delete a file.

use axum::extract::State;
use domain::{FieldError, FieldErrors, File};
use http_api::{
    ApiError, Authenticated, Can, Endpoint, FieldReader, FromFields, ID, ManageFiles, NoContent,
    ResourceSelector, ValidJson, ValidQuery,
};

use crate::FilesState;

/// The parameter that makes a deletion final.
pub(crate) const PERMANENT: &str = "permanent";
/// What it does.
pub(crate) const PERMANENT_DESCRIPTION: &str = "Deletes finally, instead of moving an active file to the trash, and also what is in the trash. Default: false.";

pub(crate) const DELETE: Endpoint = Endpoint::delete("deleteFile", "/files/{id}", "Delete a file")
    .description(
        "The file disappears at once from lists and from its URL. An active file moves to the trash, if the space has \
         `trash_days`: it is listed with `status=trashed`, and `restoreFile` restores it until `purge_at`; deleting it \
         again has no effect. With `permanent`, and in a space without a trash, the deletion is final, and a retry after \
         success returns 404; the bytes are deleted in the background. Sends `file.deleted` if the file is active and \
         the upload config has this event. With the role `user`, only files that the caller uploaded can be deleted.",
    );

pub(crate) const DELETE_NAMED: Endpoint = Endpoint::delete(
    "deleteFileById",
    "/files",
    "Delete the file with the id in the query or the body",
)
.description(
    "The same as `deleteFile`, with the id as the query parameter `id` or as the field `id` of \
     the body. Different ids are rejected with 422.",
)
.errors(&[(404, "The file does not exist.")]);

/// Whether a deletion is final although the space has a trash.
pub(crate) struct Permanence {
    is_permanent: bool,
}

impl FromFields for Permanence {
    fn read(fields: &mut impl FieldReader) -> Option<Permanence> {
        let is_permanent = fields.optional(PERMANENT, |text| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(FieldError::NotABoolean),
        });
        fields.describe(PERMANENT, PERMANENT_DESCRIPTION);
        Some(Permanence {
            is_permanent: is_permanent.unwrap_or_default(),
        })
    }
}

/// The query of a deletion that may name the file.
pub(crate) struct DeletionQuery {
    selector: ResourceSelector,
    permanence: Permanence,
}

impl FromFields for DeletionQuery {
    fn read(fields: &mut impl FieldReader) -> Option<DeletionQuery> {
        let selector = ResourceSelector::read(fields);
        let permanence = Permanence::read(fields);
        Some(DeletionQuery {
            selector: selector?,
            permanence: permanence?,
        })
    }
}

/// Fails with 403 if another principal uploaded the file and the caller is not an admin.
pub(crate) async fn delete(
    can: Can<ManageFiles, File>,
    State(files): State<FilesState>,
    ValidQuery(Permanence { is_permanent }): ValidQuery<Permanence>,
) -> Result<NoContent, ApiError> {
    let records = can.space.files();
    records.require_manager(&can.resource, &can.caller)?;
    records
        .delete(can.resource, is_permanent, &files.deletion_queues)
        .await?;
    Ok(NoContent)
}

/// Fails with 422 if neither the query nor the body has an id, or if they have different ones.
pub(crate) async fn delete_named(
    auth: Authenticated<ManageFiles>,
    state: State<FilesState>,
    ValidQuery(query): ValidQuery<DeletionQuery>,
    ValidJson(body): ValidJson<ResourceSelector>,
) -> Result<NoContent, ApiError> {
    let DeletionQuery {
        selector,
        permanence,
    } = query;
    selector.require_same(&body)?;
    let id = selector
        .id
        .or(body.id)
        .ok_or_else(|| FieldErrors::from((ID, FieldError::Required)))?;

    delete(auth.can(&id).await?, state, ValidQuery(permanence)).await
}
