//! `GET /folders/:id`: get a folder.

use http_api::{
    caller::{Can, ReadFolders},
    describe::Endpoint,
    response::{ApiError, Data},
};
use space_store::folders::ResolvedFolder;

use crate::views::DetailedFolderView;

pub(crate) const GET: Endpoint = Endpoint::get("getFolder", "/folders/{id}", "Get a folder")
    .description(
        "`access_control` and `security` are the effective settings of the files in the folder, \
         each with the folder or space where it is set. `path` contains the names of the folders \
         from the root to this one.",
    );

pub(crate) async fn get(
    can: Can<ReadFolders, ResolvedFolder>,
) -> Result<Data<DetailedFolderView>, ApiError> {
    Ok(Data(DetailedFolderView::of(
        &can.resource,
        can.space.record(),
    )))
}
