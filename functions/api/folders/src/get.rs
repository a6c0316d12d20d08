//! `GET /folders/:id`: show a folder.

use tenant::FolderWithChain;
use web::{Can, Ok, ReadFolders};

use crate::views::FolderView;

pub(crate) async fn get(can: Can<ReadFolders, FolderWithChain>) -> Ok<FolderView> {
    Ok(FolderView::of(&can.subject, can.space.record()))
}
