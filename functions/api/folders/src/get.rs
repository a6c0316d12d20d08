//! `GET /folders/:id`: get a folder.

use tenant::FolderWithChain;
use web::{Can, Data, Endpoint, Failure, ReadFolders};

use crate::views::FolderView;

pub(crate) const GET: Endpoint = Endpoint::get("getFolder", "/folders/{id}", "Get a folder");

pub(crate) async fn get(
    can: Can<ReadFolders, FolderWithChain>,
) -> Result<Data<FolderView>, Failure> {
    Ok(Data(FolderView::of(&can.subject, can.space.record())))
}
