//! `DELETE /files/:id`, and `DELETE /files` with the id in the query or the body: delete a file.

use axum::extract::State;
use domain::errors::{FieldError, FieldErrors};
use http_api::{
    caller::{Authenticated, Can, ManageFiles},
    describe::Endpoint,
    fields::{FieldReader, FromFields, query_boolean},
    request::{ID, ResourceSelector, ValidJson, ValidQuery},
    response::{ApiError, NoContent},
};
use space_store::uploads::PendingRecord;

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
    "The same as `deleteFile`, with the id and `permanent` in the query or in the body. Different ids are rejected with 422.",
)
.errors(&[(404, "The file does not exist.")]);

/// Whether a deletion is final although the space has a trash.
pub(crate) struct Permanence {
    is_permanent: bool,
}

impl FromFields for Permanence {
    fn read(fields: &mut impl FieldReader) -> Option<Permanence> {
        let is_permanent = query_boolean(fields, PERMANENT);
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

/// The body of a deletion that may name the file.
pub(crate) struct DeletionBody {
    selector: ResourceSelector,
    is_permanent: bool,
}

impl FromFields for DeletionBody {
    fn read(fields: &mut impl FieldReader) -> Option<DeletionBody> {
        let selector = ResourceSelector::read(fields);
        let is_permanent = fields.boolean(PERMANENT);
        fields.describe(PERMANENT, PERMANENT_DESCRIPTION);
        Some(DeletionBody {
            selector: selector?,
            is_permanent: is_permanent.unwrap_or_default(),
        })
    }
}

/// Fails with 403 if another principal uploaded the file and the caller is not an admin. Also
/// deletes an upload that is to replace the bytes of a file, which is then not confirmed.
pub(crate) async fn delete(
    can: Can<ManageFiles, PendingRecord>,
    State(files): State<FilesState>,
    ValidQuery(Permanence { is_permanent }): ValidQuery<Permanence>,
) -> Result<NoContent, ApiError> {
    let PendingRecord { file, .. } = &can.resource;
    let records = can.space.files();
    records.require_manager(file, &can.caller)?;

    if can.resource.is_replacement() {
        records.remove_replacement(file).await?;
    } else {
        let queues = &files.deletion_queues;
        records
            .delete(can.resource.file, is_permanent, queues)
            .await?;
    }
    Ok(NoContent)
}

/// Fails with 422 if neither the query nor the body has an id, or if they have different ones.
pub(crate) async fn delete_named(
    auth: Authenticated<ManageFiles>,
    state: State<FilesState>,
    ValidQuery(query): ValidQuery<DeletionQuery>,
    ValidJson(body): ValidJson<DeletionBody>,
) -> Result<NoContent, ApiError> {
    let DeletionQuery {
        selector,
        mut permanence,
    } = query;
    permanence.is_permanent |= body.is_permanent;
    selector.require_same(&body.selector)?;
    let id = selector
        .id
        .or(body.selector.id)
        .ok_or_else(|| FieldErrors::from((ID, FieldError::Required)))?;

    let can = auth.can(&id).await?;
    // Boxed to keep the futures of requests small.
    Box::pin(delete(can, state, ValidQuery(permanence))).await
}
