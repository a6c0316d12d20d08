//! Folders as they are read: one by one, the whole chain around something, lists; and what delivery
//! decides on.

use std::collections::HashMap;

use domain::{File, Folder, FolderId, Handle, Page, PageRequest, Space, SpaceId, UserId};
use serde::de::IgnoredAny;
use tracing::instrument;

use crate::{
    Key, Table, TableError,
    folders::{Child, FolderOwner},
    key::{FOLDERS, children, files_in, space_partition},
    members::Membership,
    read::{Found, Range},
    spaces::{ByHandle, existing},
};

/// Most records that are read together.
const TOGETHER: usize = 100;

/// What delivery decides on, as it was at one moment.
#[derive(Debug)]
pub struct DeliveredRecords {
    /// The file.
    pub file: Option<File>,
    /// The space of the handle.
    pub space: Option<Space>,
    /// The folders that were asked for, and nothing for one that is not there.
    pub folders: HashMap<FolderId, Option<Folder>>,
}

impl Table {
    /// The space of a folder.
    #[instrument(skip_all)]
    pub async fn space_of_folder(&self, id: FolderId) -> Result<Option<SpaceId>, TableError> {
        let owner: Option<FolderOwner> = self.get(Key::folder_owner(id)).await?;
        Ok(owner.map(|owner| owner.space_id))
    }

    /// A space, a folder in it, and what a user may do there; `None` where any of them is missing.
    #[instrument(skip_all)]
    pub async fn space_folder_and_membership(
        &self,
        space: SpaceId,
        folder: FolderId,
        user: UserId,
    ) -> Result<Option<(Space, Folder, Membership)>, TableError> {
        self.space_record_and_membership(space, Key::folder(space, folder), user)
            .await
    }

    /// Folders of a space, and nothing for one that is not there.
    #[instrument(skip_all)]
    pub async fn folders(
        &self,
        space: SpaceId,
        ids: &[FolderId],
    ) -> Result<HashMap<FolderId, Option<Folder>>, TableError> {
        let mut folders = HashMap::new();
        for ids in ids.chunks(TOGETHER) {
            let found = self
                .batch_get(ids.iter().map(|id| Key::folder(space, *id)))
                .await?;
            folders.extend(taken(space, ids, found)?);
        }
        Ok(folders)
    }

    /// A space, and a folder in it, where they are there.
    #[instrument(skip_all)]
    pub async fn space_and_folder(
        &self,
        space: SpaceId,
        folder: Option<FolderId>,
    ) -> Result<(Option<Space>, Option<Folder>), TableError> {
        let keys = (
            Key::space(space),
            folder.map(|folder| Key::folder(space, folder)),
        );
        let mut found = self
            .batch_get([keys.0.clone()].into_iter().chain(keys.1.clone()))
            .await?;
        let folder = match keys.1 {
            Some(key) => found.take(&key)?,
            None => None,
        };
        Ok((existing(found.take(&keys.0)?), folder))
    }

    /// A file by where it is delivered, the space of its handle, and some folders of a space, as
    /// they are at one moment.
    #[instrument(skip_all)]
    pub async fn delivered(
        &self,
        handle: &Handle,
        storage_path: &str,
        folders: Option<(SpaceId, &[FolderId])>,
    ) -> Result<DeliveredRecords, TableError> {
        let (file, space) = (Key::path(storage_path), Key::handle(handle));
        let ids = folders.map_or(&[][..], |(_, ids)| ids);
        let mut keys = vec![file.clone(), space.clone()];
        if let Some((space, _)) = folders {
            keys.extend(ids.iter().map(|id| Key::folder(space, *id)));
        }
        let mut found = self.transact_get(keys).await?;
        Ok(DeliveredRecords {
            file: found.take(&file)?,
            space: found.take::<ByHandle>(&space)?.and_then(ByHandle::space),
            folders: match folders {
                Some((space, _)) => taken(space, ids, found)?,
                None => HashMap::new(),
            },
        })
    }

    /// Returns a page of the folders of a space, newest first: of all, or of those right in one or
    /// at the top.
    #[instrument(skip_all)]
    pub async fn list_folders(
        &self,
        space: SpaceId,
        parent: Option<Option<FolderId>>,
        page_request: &PageRequest,
    ) -> Result<Page<Folder>, TableError> {
        let Some(parent) = parent else {
            return self
                .page(
                    Range::newest_first(space_partition(space), FOLDERS),
                    page_request,
                )
                .await;
        };
        let range = Range::newest_first(space_partition(space), children(parent));
        let children = self.slice::<Child>(range, page_request).await?;
        let ids: Vec<FolderId> = children.records.iter().map(|(_, child)| child.id).collect();
        let mut folders = self.folders(space, &ids).await?;
        // One that was moved or removed since is left out.
        let folder = |child: Child| {
            folders
                .remove(&child.id)
                .flatten()
                .filter(|folder| folder.parent_id() == parent)
        };
        Ok(children.into_page(page_request, folder))
    }

    /// Whether a folder has any file right in it.
    #[instrument(skip_all)]
    pub async fn has_files_in(&self, space: SpaceId, folder: FolderId) -> Result<bool, TableError> {
        let range = Range::newest_first(space_partition(space), files_in(Some(folder)));
        let page = self
            .page::<IgnoredAny>(range, &PageRequest::first(1))
            .await?;
        Ok(!page.items.is_empty())
    }
}

fn taken(
    space: SpaceId,
    ids: &[FolderId],
    mut found: Found,
) -> Result<HashMap<FolderId, Option<Folder>>, TableError> {
    ids.iter()
        .map(|id| Ok((*id, found.take(&Key::folder(space, *id))?)))
        .collect()
}
