//! Reads of folders: by id, in lists, and with the records that delivery evaluates.

use std::collections::HashMap;

use domain::{
    files::File,
    folders::Folder,
    id::{FolderId, SpaceId},
    requests::{Page, PageRequest},
    spaces::{DeliverySpace, Handle},
};
use serde::de::IgnoredAny;
use tracing::instrument;

use crate::{
    connection::FolderRecords,
    errors::TableError,
    folders::FolderEntry,
    key::Key,
    key::{FOLDERS, files_in_folder, space_partition, subfolders},
    query::{Range, Slice},
    read::{FoundItems, MAX_BATCH_READS},
    spaces::{WithSpace, record::existing, replicas::any_replica},
};

/// Folders of one space.
#[derive(Clone, Copy, Debug)]
pub struct FolderSelection<'a> {
    pub space: SpaceId,
    pub ids: &'a [FolderId],
}

/// The records that decide on the delivery of a file: a consistent snapshot.
#[derive(Debug)]
pub struct DeliveryRecords {
    pub file: Option<File>,
    /// The space with the handle, unless it was deleted.
    pub space: Option<DeliverySpace>,
    /// The selected folders; `None` for folders that do not exist.
    pub folders: HashMap<FolderId, Option<Folder>>,
}

impl FolderRecords<'_> {
    /// Returns folders of a space; `None` for folders that do not exist.
    #[instrument(name = "folders", skip_all)]
    pub async fn get(
        self,
        space: SpaceId,
        ids: &[FolderId],
    ) -> Result<HashMap<FolderId, Option<Folder>>, TableError> {
        let mut folders = HashMap::new();
        for ids in ids.chunks(MAX_BATCH_READS) {
            let keys = ids.iter().map(|id| Key::folder(space, *id));
            let mut found = self.table.batch_get(keys).await?;
            folders.extend(take_folders(&mut found, FolderSelection { space, ids })?);
        }
        Ok(folders)
    }

    /// Returns a space and, if one is selected, one of its folders.
    #[instrument(name = "space_with_folder", skip_all)]
    pub async fn with_space(
        self,
        space: SpaceId,
        folder: Option<FolderId>,
    ) -> Result<WithSpace<Folder>, TableError> {
        let Some(folder) = folder else {
            let space_key = Key::space(space);
            let mut found = self.table.batch_get([space_key.clone()]).await?;
            return Ok(WithSpace {
                space: existing(found.take(&space_key)?),
                record: None,
            });
        };
        self.table.spaces().with_resource(space, folder).await
    }

    /// Returns a file by storage path, the space with a handle, and the selected folders in a
    /// consistent snapshot.
    ///
    /// Throttling of any of the items cancels the read with the reason `ThrottlingError` or
    /// `ProvisionedThroughputExceeded` of that item (Amazon DynamoDB API Reference,
    /// `TransactGetItems`, errors). Such a read is tried twice.
    #[instrument(name = "delivery_records", skip_all)]
    pub async fn for_delivery(
        self,
        handle: &Handle,
        storage_path: &str,
        folders: Option<FolderSelection<'_>>,
    ) -> Result<DeliveryRecords, TableError> {
        let file_key = Key::path(storage_path);
        let space_key = any_replica(handle, &self.table.env);
        let mut keys = vec![file_key.clone(), space_key.clone()];
        if let Some(FolderSelection { space, ids }) = folders {
            keys.extend(ids.iter().map(|id| Key::folder(space, *id)));
        }

        let mut found = self.table.transact_get(keys).await?;

        Ok(DeliveryRecords {
            file: found.take(&file_key)?,
            space: found.take(&space_key)?,
            folders: match folders {
                Some(selection) => take_folders(&mut found, selection)?,
                None => HashMap::new(),
            },
        })
    }

    /// Returns a page of the folders of a space, newest first.
    #[instrument(name = "list_folders", skip_all)]
    pub async fn list(
        self,
        space: SpaceId,
        page_request: &PageRequest,
    ) -> Result<Page<Folder>, TableError> {
        let range = Range::newest_first(space_partition(space), FOLDERS);
        self.table.page(range, page_request).await
    }

    /// Returns a page of the direct children of a folder or of the root, newest first.
    #[instrument(name = "list_subfolders", skip_all)]
    pub async fn list_in(
        self,
        space: SpaceId,
        parent: Option<FolderId>,
        page_request: &PageRequest,
    ) -> Result<Page<Folder>, TableError> {
        let range = Range::newest_first(space_partition(space), subfolders(parent));
        let entries: Slice<FolderEntry> = self.table.slice(range, page_request).await?;
        let ids: Vec<FolderId> = entries
            .records
            .iter()
            .map(|positioned| positioned.record.id)
            .collect();
        let mut folders = self.get(space, &ids).await?;

        // Folders that were moved or deleted between the two reads are left out.
        let in_parent = |entry: FolderEntry| {
            let folder = folders.remove(&entry.id).flatten()?;
            (folder.parent_id() == parent).then_some(folder)
        };
        Ok(entries.into_page(page_request, in_parent))
    }

    /// Returns whether any file is directly in a folder.
    #[instrument(skip_all)]
    pub async fn has_files_in(self, space: SpaceId, folder: FolderId) -> Result<bool, TableError> {
        let range = Range::newest_first(space_partition(space), files_in_folder(Some(folder)));
        let page = self
            .table
            .page::<IgnoredAny>(range, &PageRequest::first(1))
            .await?;
        Ok(!page.items.is_empty())
    }
}

fn take_folders(
    found: &mut FoundItems,
    selection: FolderSelection<'_>,
) -> Result<HashMap<FolderId, Option<Folder>>, TableError> {
    selection
        .ids
        .iter()
        .map(|id| Ok((*id, found.take(&Key::folder(selection.space, *id))?)))
        .collect()
}
