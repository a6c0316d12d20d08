//! `DELETE /folders/:id`: delete an empty folder, or with `force=true` a folder with its contents.

use axum::extract::State;
use http_api::{
    caller::{Can, ManageFolders},
    describe::Endpoint,
    fields::Force,
    request::ValidQuery,
    response::{ApiError, Deletion},
};
use renditions::Watermarks;
use space_store::{
    folders::ResolvedFolder,
    jobs::{PurgeJob, Queue},
};

pub(crate) const DELETE: Endpoint =
    Endpoint::delete("deleteFolder", "/folders/{id}", "Delete a folder")
        .description(
            "Without `force`, only an empty folder is deleted, with 204. With `force=true` the response is a \
             202: the folder, its subfolders and all files in them disappear at once, from delivery too, and \
             are deleted in the background, without `file.deleted` webhooks. Such a deletion cannot be \
             undone, and after a 503 it may have taken effect all the same. Requires the role `admin`. A \
             retry after success returns 404.",
        )
        .errors(&[(
            409,
            "The folder contains a file or a folder, and `force` is not true.",
        )]);

/// Fails with 409 if the folder contains a file or a folder and `force` is not true.
pub(crate) async fn delete(
    can: Can<ManageFolders, ResolvedFolder>,
    State(watermarks): State<Watermarks>,
    State(purge_queue): State<Queue<PurgeJob>>,
    ValidQuery(force): ValidQuery<Force>,
) -> Result<Deletion, ApiError> {
    let folders = can.space.folders();
    if force.0 {
        folders
            .delete_with_contents(can.resource, &purge_queue)
            .await?;
    } else {
        let folder = can.resource.folder().clone();
        folders.delete(can.resource).await?;
        watermarks.remove_of_folder(&can.space, &folder).await;
    }
    Ok(force.into())
}
