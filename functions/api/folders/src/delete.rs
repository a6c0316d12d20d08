//! `DELETE /folders/:id`: delete a folder, if there is neither a file nor a folder in it.

use tenant::FolderWithChain;
use web::{Can, Failure, ManageFolders, NoContent};

pub(crate) async fn delete(can: Can<ManageFolders, FolderWithChain>) -> Result<NoContent, Failure> {
    can.space.delete_folder(can.subject).await?;
    Ok(NoContent)
}
