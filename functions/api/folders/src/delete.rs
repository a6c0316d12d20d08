//! `DELETE /folders/:id`: delete an empty folder.

use axum::extract::State;
use http_api::{ApiError, Can, Endpoint, ManageFolders, NoContent};
use renditions::Watermarks;
use space_store::ResolvedFolder;

pub(crate) const DELETE: Endpoint = Endpoint::delete(
    "deleteFolder",
    "/folders/{id}",
    "Delete an empty folder",
)
.description(
    "Files and folders in it are never deleted: delete or move them first with `deleteFile`, \
     `updateFile` or `updateFolder`. Requires the role `admin`. A retry after success returns \
     404.",
)
.errors(&[(409, "The folder contains a file or a folder.")]);

/// Fails with 409 if the folder contains a file or a folder.
pub(crate) async fn delete(
    can: Can<ManageFolders, ResolvedFolder>,
    State(watermarks): State<Watermarks>,
) -> Result<NoContent, ApiError> {
    let folder = can.resource.folder().clone();
    can.space.folders().delete(can.resource).await?;
    watermarks.remove_of_folder(&can.space, &folder).await;
    Ok(NoContent)
}
