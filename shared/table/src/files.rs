//! Files: in their space's partition, by where they are delivered, and whose a bare id is.

use domain::{
    Completion, File, FileId, FileStatus, HourlyQuota, IdempotencyReservation, Space, SpaceId,
    UserId,
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    Key, Reason, Table, TableError, WriteError,
    condition::{Condition, text},
    file_index::{Entry, entries, folder_entry, reference_entry},
    folders::open_folder,
    members::Membership,
    spaces::existing,
    transaction::{OPERATIONS_MAX, Transaction},
};

/// The space of a file; `None` if its creation was given up.
#[derive(Serialize, Deserialize)]
pub(crate) struct FileOwner {
    pub(crate) space_id: Option<SpaceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at_seconds: Option<i64>,
}

/// Time for which the id of a file that was given up cannot be written, in milliseconds: far longer
/// than any request lasts.
const GIVEN_UP_MS: i64 = 60 * 60 * 1_000;

impl Table {
    /// Writes new files' records, all or nothing; with a quota, as one upload of its hour. Only
    /// active ones are found by where they are delivered.
    #[instrument(skip_all)]
    pub async fn create_files(
        &self,
        files: &[File],
        quota: Option<HourlyQuota>,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let mut transaction = self.transaction();
        for file in files {
            transaction.insert_file(file);
        }
        if let (Some(quota), Some(file)) = (quota, files.first()) {
            transaction.count_upload(file.space_id, quota);
        }
        let entries: Vec<(Key, Entry)> = files.iter().flat_map(entries).collect();
        // One more operation may complete a reservation.
        let is_too_large = transaction.len() + entries.len() >= OPERATIONS_MAX;
        if is_too_large {
            self.overwrite_all(&entries).await?;
        } else {
            for (key, entry) in entries {
                transaction.put(key, &entry);
            }
        }

        let written = transaction.commit_with(completion).await;
        match &written {
            // Another request writes files under the same ids: the entries are its own.
            Err(WriteError::ConditionFailed(Reason::ReservationLost)) => {}
            Err(WriteError::ConditionFailed(_)) if is_too_large => self.remove_entries(files).await,
            _ => {}
        }
        written
    }

    /// Replaces a pending file by the active one that was made from it, with the entry of its
    /// reference. It succeeds once.
    #[instrument(skip_all)]
    pub async fn activate_file(&self, file: &File) -> Result<(), WriteError> {
        let active = File {
            version: file.version + 1,
            ..file.clone()
        };
        let mut transaction = self.transaction();
        transaction.replace(Key::file(file.space_id, file.id), &active, file.version);
        transaction.insert(Key::path(&file.storage_path), &active, Reason::PathTaken);
        if let Some((key, entry)) = reference_entry(&active) {
            transaction.put(key, &entry);
        }
        transaction.commit().await
    }

    /// Removes where a file is delivered; safe to repeat.
    #[instrument(skip_all)]
    pub async fn remove_path(&self, file: &File) -> Result<(), TableError> {
        self.delete_if(
            Key::path(&file.storage_path),
            &Condition::equals("id", text(file.id)),
        )
        .await
    }

    /// Removes a file if it is still this version.
    #[instrument(skip_all)]
    pub async fn remove_file(&self, file: &File) -> Result<(), WriteError> {
        let mut transaction = self.transaction();
        transaction.delete_file(file);
        for (key, _) in entries(file) {
            transaction.delete(key);
        }
        transaction.commit().await
    }

    /// Settles whether files, whose writing failed, are there: where they are not, this makes sure
    /// that they never will be, and releases the reservation of their request, whose ids are used
    /// up.
    #[instrument(skip_all)]
    pub async fn resolve_unknown_commit(
        &self,
        files: &[File],
        reservation: Option<&IdempotencyReservation>,
    ) -> Result<bool, WriteError> {
        // They are written all or nothing, so one of them stands for all.
        let Some(file) = files.first() else {
            return Ok(true);
        };
        let expires_at_seconds = self.env.now().plus_ms(GIVEN_UP_MS).seconds();
        let given_up = FileOwner {
            space_id: None,
            expires_at_seconds: Some(expires_at_seconds),
        };
        let mut transaction = self.transaction();
        transaction.insert(Key::file_owner(file.id), &given_up, Reason::IdTaken);
        if let Some(reservation) = reservation {
            transaction.release(reservation);
        }

        match transaction.commit().await {
            Ok(()) => {
                self.remove_entries(files).await;
                Ok(false)
            }
            // Our own transaction would have completed the reservation, and a completed one cannot
            // be taken over.
            Err(WriteError::ConditionFailed(Reason::ReservationLost)) => Ok(false),
            Err(WriteError::ConditionFailed(Reason::IdTaken)) => {
                Ok(self.space_of_file(file.id).await?.is_some())
            }
            Err(error) => Err(error),
        }
    }

    /// Removes files that were just written, and releases the reservation of their request. Fails
    /// with [`Reason::VersionConflict`] if one of them was changed or deleted since.
    #[instrument(skip_all)]
    pub async fn roll_back_files(
        &self,
        files: &[File],
        reservation: Option<&IdempotencyReservation>,
    ) -> Result<(), WriteError> {
        let mut transaction = self.transaction();
        for file in files {
            transaction.delete_file(file);
        }
        if let Some(reservation) = reservation {
            transaction.release(reservation);
        }
        transaction.commit().await?;
        self.remove_entries(files).await;
        Ok(())
    }

    /// Replaces the version of a file that a change was made from, in whatever folder it is then,
    /// and by whatever it is found then. Returns the new version. Fails with
    /// [`Reason::FolderClosed`] if its new folder is gone or being deleted.
    #[instrument(skip_all)]
    pub async fn change_file(&self, from: &File, to: &File) -> Result<u64, WriteError> {
        let to = &File {
            version: from.version + 1,
            ..to.clone()
        };
        let mut transaction = self.transaction();
        transaction.replace(Key::file(from.space_id, from.id), to, from.version);
        if from.status == FileStatus::Active {
            transaction.replace(Key::path(&from.storage_path), to, from.version);
        }
        transaction.change_entries(from, to);
        if let Some(folder) = to
            .folder_id()
            .filter(|folder| from.folder_id() != Some(*folder))
        {
            let is_open = open_folder(self.env.now());
            transaction.check(
                Key::folder(to.space_id, folder),
                &is_open,
                Reason::FolderClosed,
            );
        }
        transaction.commit().await?;
        Ok(to.version)
    }

    /// The space of a file.
    #[instrument(skip_all)]
    pub async fn space_of_file(&self, id: FileId) -> Result<Option<SpaceId>, TableError> {
        let owner: Option<FileOwner> = self.get(Key::file_owner(id)).await?;
        Ok(owner.and_then(|owner| owner.space_id))
    }

    /// A space, and a file in it.
    #[instrument(skip_all)]
    pub async fn space_and_file(
        &self,
        space: SpaceId,
        file: FileId,
    ) -> Result<(Option<Space>, Option<File>), TableError> {
        let (space, file) = (Key::space(space), Key::file(space, file));
        let mut found = self.batch_get([space.clone(), file.clone()]).await?;
        Ok((existing(found.take(&space)?), found.take(&file)?))
    }

    /// A space, a file in it, and what a user may do there; `None` where any of them is missing.
    #[instrument(skip_all)]
    pub async fn space_file_and_membership(
        &self,
        space: SpaceId,
        file: FileId,
        user: UserId,
    ) -> Result<Option<(Space, File, Membership)>, TableError> {
        self.space_record_and_membership(space, Key::file(space, file), user)
            .await
    }
}

impl Transaction<'_> {
    /// Inserts a file, without its entries but that of its folder.
    fn insert_file(&mut self, file: &File) {
        let owner = FileOwner {
            space_id: Some(file.space_id),
            expires_at_seconds: None,
        };
        let (folder, entry) = folder_entry(file);
        self.insert(Key::file(file.space_id, file.id), file, Reason::IdTaken);
        self.insert(Key::file_owner(file.id), &owner, Reason::IdTaken);
        self.put(folder, &entry);
        if file.status == FileStatus::Active {
            self.insert(Key::path(&file.storage_path), file, Reason::PathTaken);
        }
    }

    /// Deletes a file if it is still this version, without its entries but that of its folder.
    fn delete_file(&mut self, file: &File) {
        let is_ours = Condition::equals("space_id", text(file.space_id));
        self.delete_version(Key::file(file.space_id, file.id), file.version);
        self.delete_if(Key::file_owner(file.id), &is_ours, Reason::VersionConflict);
        self.delete(folder_entry(file).0);
        if file.status == FileStatus::Active {
            self.delete_version(Key::path(&file.storage_path), file.version);
        }
    }
}
