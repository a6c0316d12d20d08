//! `DELETE /files/:id`, and `DELETE /files` with the id in the query or the body: delete a file.

use axum::extract::State;
use domain::{FieldError, FieldErrors, File};
use http_api::{
    ApiError, Authenticated, Can, Endpoint, ID, ManageFiles, NoContent, ResourceSelector,
    ValidJson, ValidQuery,
};

use crate::FilesState;

pub(crate) const DELETE: Endpoint = Endpoint::delete("deleteFile", "/files/{id}", "Delete a file")
    .description(
        "The file disappears at once from lists and from its URL, and cannot be restored; its \
         bytes are deleted in the background. Sends `file.deleted` if the file is active and the \
         upload config has this event. With the role `user`, only files that the caller uploaded \
         can be deleted; a retry after success returns 404.",
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

/// Fails with 403 if another principal uploaded the file and the caller is not an admin.
pub(crate) async fn delete(
    can: Can<ManageFiles, File>,
    State(files): State<FilesState>,
) -> Result<NoContent, ApiError> {
    let records = can.space.files();
    records.require_manager(&can.resource, &can.caller)?;
    records.delete(can.resource, &files.deletion_queues).await?;
    Ok(NoContent)
}

/// Fails with 422 if neither the query nor the body has an id, or if they have different ones.
pub(crate) async fn delete_named(
    auth: Authenticated<ManageFiles>,
    state: State<FilesState>,
    ValidQuery(query): ValidQuery<ResourceSelector>,
    ValidJson(body): ValidJson<ResourceSelector>,
) -> Result<NoContent, ApiError> {
    query.require_same(&body)?;
    let id = query
        .id
        .or(body.id)
        .ok_or_else(|| FieldErrors::from((ID, FieldError::Required)))?;

    delete(auth.can(&id).await?, state).await
}
