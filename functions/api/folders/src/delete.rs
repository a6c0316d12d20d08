//! `DELETE /folders/:id`: delete an empty folder.

use tenant::ResolvedFolder;
use web::{ApiError, Can, Endpoint, ManageFolders, NoContent};

pub(crate) const DELETE: Endpoint =
    Endpoint::delete("deleteFolder", "/folders/{id}", "Delete an empty folder")
        .errors(&[(409, "The folder contains a file or a folder.")]);

/// Fails with 409 if the folder contains a file or a folder.
pub(crate) async fn delete(can: Can<ManageFolders, ResolvedFolder>) -> Result<NoContent, ApiError> {
    can.space.delete_folder(can.resource).await?;
    Ok(NoContent)
}
