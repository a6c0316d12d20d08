//! `GET /folders?space_id=&parent_id=`: list the folders of a space, newest first: all of them, those right in one, or those
//! at the top.

use domain::{Fault, FolderId, Violation, Violations};
use http::Uri;
use tenant::Space;
use web::{Authenticated, Can, Failure, Filtered, Page, ReadFolders, folder_reference};

use crate::views::FolderView;

/// The parameter that names the folder to look into.
const PARENT: &str = "parent_id";

pub(crate) async fn list(
    by: Authenticated,
    uri: Uri,
    mut filtered: Filtered<FolderId>,
) -> Result<Page<FolderView>, Failure> {
    let parent = filtered.fields.optional(PARENT, folder_reference);
    let (request, parent) = filtered.finish(Some(parent))?;
    let can: Can<ReadFolders> = by.can_list(&uri).await?;
    demand_folder(&can.space, parent.flatten()).await?;
    let page = can.space.list_folders(parent, request.listing()).await?;
    let view = |found| FolderView::of(&found, can.space.record());
    Ok(request.page(page, |(id, _)| *id, |(_, found)| found.map(view)))
}

async fn demand_folder(space: &Space, parent: Option<FolderId>) -> Result<(), Fault> {
    let Some(parent) = parent else { return Ok(()) };
    let is_there = space.has_folder(parent).await?;
    if is_there { Ok(()) } else { Err(Violations::from((PARENT, Violation::Unknown)).into()) }
}
