//! `POST /files/:id/restore`: restore a file from the trash.

use axum::extract::State;
use domain::files::File;
use http_api::{
    caller::{Can, ManageFiles},
    describe::Endpoint,
    response::{ApiError, Data, FileView},
};
use space_store::files::RestoredFile;

use crate::FilesState;

pub(crate) const RESTORE: Endpoint = Endpoint::post(
    "restoreFile",
    "/files/{id}/restore",
    "Restore a file from the trash",
)
.description(
    "The file is delivered, listed and counted again at once, with the same `url`, in its folder, or at the root if one \
     of its folders was deleted. Sends `file.restored` if the upload config has this event. With the role `user`, only \
     files that the caller uploaded can be restored.",
)
.errors(&[(
    409,
    "The file is not in the trash, or another file has its stored name since.",
)]);

/// Fails with 403 if another principal uploaded the file and the caller is not an admin.
pub(crate) async fn restore(
    can: Can<ManageFiles, File>,
    State(files): State<FilesState>,
) -> Result<Data<FileView>, ApiError> {
    let records = can.space.files();
    records.require_manager(&can.resource, &can.caller)?;
    let webhooks = &files.deletion_queues.webhooks;
    let RestoredFile { file, folders } = records.restore(can.resource, webhooks).await?;
    let space = can.space.record();
    Ok(Data(FileView::of(
        &file,
        Some(&folders),
        space,
        &files.cdn_url,
    )))
}
