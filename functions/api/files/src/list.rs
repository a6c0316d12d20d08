//! `GET /files?space_id=`: list the files of a space, newest first, or by name where one is searched for.

use axum::extract::State;
use domain::{
    DeliveryType, Fault, FileFilter, FileStatus, FolderId, InFolder, NamePrefix, ResourceType, Tag, Violation,
    Violations,
};
use http::Uri;
use tenant::{FilePlace, Space};
use web::{Authenticated, Can, FOLDER_ID, Failure, Fields, FileView, Filtered, Page, ReadFiles, folder_reference};

use crate::Files;

pub(crate) async fn list(
    by: Authenticated,
    State(files): State<Files>,
    uri: Uri,
    mut filtered: Filtered<FilePlace>,
) -> Result<Page<FileView>, Failure> {
    let filter = filter(&mut filtered.fields);
    let (request, filter) = filtered.finish(Some(filter))?;
    let can: Can<ReadFiles> = by.can_list(&uri).await?;
    demand_folder(&can.space, filter.folder.flatten()).await?;
    let page = can.space.list_files(&filter, request.listing()).await?;
    let folders: Vec<InFolder> =
        page.records.iter().filter_map(|(_, file)| file.as_ref()).filter_map(|file| file.folder.clone()).collect();
    let chains = can.space.folder_chains(&folders).await?;
    let view = |(_, file): (FilePlace, Option<domain::File>)| {
        let file = file?;
        Some(FileView::of(&file, chains.around(file.folder_id()).as_ref(), can.space.record(), &files.cdn_url))
    };
    Ok(request.page(page, |(place, _)| place.clone(), view))
}

fn filter(fields: &mut Fields) -> FileFilter {
    FileFilter {
        delivery_type: fields.optional("type", DeliveryType::parse),
        resource_type: fields.optional("resource_type", ResourceType::parse),
        status: fields.optional("status", FileStatus::parse),
        folder: fields.optional(FOLDER_ID, folder_reference),
        tag: fields.optional("tag", Tag::parse),
        search: fields.optional("search", NamePrefix::parse),
    }
}

async fn demand_folder(space: &Space, folder: Option<FolderId>) -> Result<(), Fault> {
    let Some(folder) = folder else { return Ok(()) };
    let is_there = space.has_folder(folder).await?;
    if is_there { Ok(()) } else { Err(Violations::from((FOLDER_ID, Violation::Unknown)).into()) }
}
