//! `DELETE /folders/:id`: delete an empty folder.

use tenant::FolderWithChain;
use web::{Can, Endpoint, Failure, ManageFolders, NoContent};

pub(crate) const DELETE: Endpoint =
    Endpoint::delete("deleteFolder", "/folders/{id}", "Delete an empty folder")
        .errors(&[(409, "The folder contains a file or a folder.")]);

/// Fails with 409 if the folder contains a file or a folder.
pub(crate) async fn delete(can: Can<ManageFolders, FolderWithChain>) -> Result<NoContent, Failure> {
    can.space.delete_folder(can.subject).await?;
    Ok(NoContent)
}
