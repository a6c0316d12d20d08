//! The files that a caller has access to, in all spaces.

use std::collections::{HashMap, HashSet};

use domain::{
    errors::ServiceError,
    files::File,
    id::{FileId, SpaceId},
    keys::Role,
    spaces::Space,
};
use table::files::FileInSpace;

use crate::spaces::{Caller, Scoped, Tenants};

impl Tenants {
    /// Returns a file by id; `None` if the caller has no access to such a file.
    pub async fn file(
        &self,
        caller: &Caller,
        id: FileId,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        let Some(Scoped { space, record }) = self.resource(caller, id).await? else {
            return Ok(None);
        };
        let file = space.files().without_deleted(vec![record]).await?.pop();
        Ok(file.map(|record| Scoped { space, record }))
    }

    /// Returns the files with these ids, at most 100, that the caller has access to.
    pub async fn files(
        &self,
        caller: &Caller,
        ids: &[FileId],
    ) -> Result<HashMap<FileId, FileInSpace>, ServiceError> {
        let mut found = self.stored_files(caller, ids).await?;
        let purging = found.values().filter(|found| found.space.folder_purges > 0);
        let purging: HashMap<SpaceId, Space> = purging
            .map(|found| (found.space.id, found.space.clone()))
            .collect();

        for (space_id, space) in purging {
            let space = self.scope(space, Role::Viewer);
            let own = found.values().filter(|found| found.space.id == space_id);
            let own: Vec<File> = own.map(|found| found.file.clone()).collect();
            let left = space.files().without_deleted(own).await?;
            let left: HashSet<FileId> = left.iter().map(|file| file.id).collect();
            found.retain(|id, found| found.space.id != space_id || left.contains(id));
        }
        Ok(found)
    }

    /// Returns files as [`Tenants::files`] does, also those that were deleted with a folder.
    async fn stored_files(
        &self,
        caller: &Caller,
        ids: &[FileId],
    ) -> Result<HashMap<FileId, FileInSpace>, ServiceError> {
        if let Some(user) = caller.user() {
            return Ok(self.table.files().of_member(user, ids).await?);
        }

        let own_space = match caller.space_role() {
            Some(own) => self.table.spaces().get(own.space_id).await?,
            None => None,
        };
        let Some(space) = own_space else {
            return Ok(HashMap::new());
        };
        let files = self.table.files().get(space.id, ids).await?;
        let with_space = |(id, file)| {
            let space = space.clone();
            (id, FileInSpace { space, file })
        };
        Ok(files.into_iter().map(with_space).collect())
    }
}
