//! Files: stored by space and id, by storage path, and with a lookup item by id.

pub(crate) mod index;
pub(crate) mod lists;
mod replacements;

pub use lists::FileInSpace;
pub use replacements::ReplacementUpload;

use std::slice;

use domain::{
    files::File,
    id::SpaceId,
    requests::{Completion, HourlyQuota, IdempotencyReservation},
    settings::FileStatus,
    webhooks::WebhookMessage,
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    condition::{Condition, text},
    connection::FileRecords,
    errors::{Reason, TableError, WriteError},
    files::index::{FileEntry, entries, folder_entry, reference_entry},
    folders::unlocked_folder,
    key::Key,
    spaces::open_space,
    transaction::{MAX_OPERATIONS, Transaction},
    write::Keyed,
};

/// Time for which the id of an abandoned write cannot be used, in milliseconds: far longer than any
/// request takes.
const ABANDONED_ID_MS: i64 = 60 * 60 * 1_000;

/// Lookup item: file id → space id. `space_id` is `None` for an id that is blocked after an
/// abandoned write.
#[derive(Serialize, Deserialize)]
pub(crate) struct FileLookup {
    pub(crate) space_id: Option<SpaceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at_seconds: Option<i64>,
}

/// The records of new files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewFileRecords<'a> {
    pub files: &'a [File],
    /// The webhooks of their events.
    pub webhooks: &'a [WebhookMessage],
}

impl FileRecords<'_> {
    /// Creates files with their webhooks, all or nothing. With a quota, counts one upload of its
    /// hour. Only active files are stored by storage path.
    #[instrument(name = "create_files", skip_all)]
    pub async fn create(
        self,
        new: NewFileRecords<'_>,
        quota: Option<&HourlyQuota>,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let NewFileRecords { files, webhooks } = new;
        let mut transaction = self.table.transaction();
        for file in files {
            transaction.insert_file(file);
        }
        transaction.count_files(files);
        transaction.insert_webhook_messages(webhooks);
        if let (Some(quota), Some(file)) = (quota, files.first()) {
            transaction.count_upload(file, quota);
        }

        let entries: Vec<Keyed<FileEntry>> = files.iter().flat_map(entries).collect();
        // The completion of the reservation is one more operation.
        let is_too_large = transaction.len() + entries.len() >= MAX_OPERATIONS;
        if is_too_large {
            self.table.overwrite_all(&entries).await?;
        } else {
            for entry in entries {
                transaction.put(entry.key, &entry.record);
            }
        }

        let written = transaction.commit_with(completion).await;
        match &written {
            // The request that took over the reservation writes the same ids and entries.
            Err(WriteError::ConditionFailed(Reason::ReservationLost)) => {}
            Err(WriteError::ConditionFailed(_)) if is_too_large => self.delete_entries(files).await,
            _ => {}
        }
        written
    }

    /// Replaces a pending file by its active version, and adds the index entry of its reference and
    /// the webhooks of the activation. With a quota, counts one upload of its hour. Succeeds once.
    #[instrument(name = "activate_file", skip_all)]
    pub async fn activate(
        self,
        file: &File,
        webhooks: &[WebhookMessage],
        quota: Option<&HourlyQuota>,
    ) -> Result<(), WriteError> {
        let active = File {
            version: file.version + 1,
            ..file.clone()
        };

        let mut transaction = self.table.transaction();
        transaction.replace(Key::file(file.space_id, file.id), &active, file.version);
        transaction.insert(Key::path(&file.storage_path), &active, Reason::PathTaken);
        transaction.count_files(slice::from_ref(&active));
        if let Some(entry) = reference_entry(&active) {
            transaction.put(entry.key, &entry.record);
        }
        transaction.insert_webhook_messages(webhooks);
        if let Some(quota) = quota {
            transaction.count_upload(&active, quota);
        }
        transaction.commit().await
    }

    /// Deletes the item of a file's storage path. Idempotent.
    #[instrument(skip_all)]
    pub async fn remove_path(self, file: &File) -> Result<(), TableError> {
        let is_of_file = Condition::equals("id", text(file.id));
        self.table
            .delete_if(Key::path(&file.storage_path), &is_of_file)
            .await
    }

    /// Deletes a file if it is still this version, and adds the webhooks of the deletion.
    #[instrument(name = "remove_file", skip_all)]
    pub async fn remove(self, file: &File, webhooks: &[WebhookMessage]) -> Result<(), WriteError> {
        let mut transaction = self.table.transaction();
        transaction.delete_file(file);
        transaction.uncount_files(slice::from_ref(file));
        transaction.insert_webhook_messages(webhooks);
        for entry in entries(file) {
            transaction.delete(entry.key);
        }
        transaction.commit().await
    }

    /// Determines whether files whose creation failed exist. If they do not, blocks their ids, so
    /// that they are never created by a late attempt, and releases the reservation of their
    /// request.
    #[instrument(skip_all)]
    pub async fn resolve_unknown_commit(
        self,
        files: &[File],
        reservation: Option<&IdempotencyReservation>,
    ) -> Result<bool, WriteError> {
        // Files are created all or nothing, so the first one stands for all.
        let Some(file) = files.first() else {
            return Ok(true);
        };
        let expires_at_seconds = self.table.env.now().plus_ms(ABANDONED_ID_MS).seconds();
        let abandoned = FileLookup {
            space_id: None,
            expires_at_seconds: Some(expires_at_seconds),
        };

        let mut transaction = self.table.transaction();
        transaction.insert(Key::file_lookup(file.id), &abandoned, Reason::IdTaken);
        if let Some(reservation) = reservation {
            transaction.release(reservation);
        }

        match transaction.commit().await {
            Ok(()) => {
                self.delete_entries(files).await;
                Ok(false)
            }
            // If the files had been created, the reservation would be completed, and a completed
            // one cannot be taken over.
            Err(WriteError::ConditionFailed(Reason::ReservationLost)) => Ok(false),
            Err(WriteError::ConditionFailed(Reason::IdTaken)) => {
                Ok(self.table.spaces().of::<File>(file.id).await?.is_some())
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes files that were just created and their webhooks, and releases the reservation of
    /// their request. Fails with [`Reason::VersionConflict`] if one of the files was changed or
    /// deleted since.
    #[instrument(name = "roll_back_files", skip_all)]
    pub async fn roll_back(
        self,
        new: NewFileRecords<'_>,
        reservation: Option<&IdempotencyReservation>,
    ) -> Result<(), WriteError> {
        let NewFileRecords { files, webhooks } = new;
        let mut transaction = self.table.transaction();
        for file in files {
            transaction.delete_file(file);
        }
        transaction.uncount_files(files);
        transaction.delete_webhook_messages(webhooks);
        if let Some(reservation) = reservation {
            transaction.release(reservation);
        }
        transaction.commit().await?;

        self.delete_entries(files).await;
        Ok(())
    }

    /// Replaces a file if it is still the version `from`, changes its index entries, and adds the
    /// webhooks of the change. A file that is trashed or restored is recounted, and loses or gets
    /// the item of its storage path. Returns the new version. Fails with
    /// [`Reason::FolderUnavailable`] if the folder that the file is moved or restored to was
    /// deleted or is being deleted, and with [`Reason::SpaceDeleted`] if the space of a restored
    /// file was.
    #[instrument(name = "change_file", skip_all)]
    pub async fn change(
        self,
        from: &File,
        to: &File,
        webhooks: &[WebhookMessage],
    ) -> Result<u64, WriteError> {
        self.change_by(from, to, webhooks, None).await
    }
}

/// Returns a file as delivery reads it: without EXIF fields, which would make each read more
/// expensive.
fn without_exif(file: &File) -> File {
    let mut delivered = file.clone();
    if let Some(media) = &mut delivered.media {
        media.meta.exif.clear();
    }
    delivered
}

impl Transaction<'_> {
    /// Replaces a file if it is still the version `from`, and changes its index entries. New bytes
    /// are counted, and begin with no stored renditions.
    pub(crate) fn change_file(&mut self, from: &File, to: &File) {
        self.replace(Key::file(from.space_id, from.id), to, from.version);
        self.change_path(from, to);
        self.add_to_usage(slice::from_ref(from), slice::from_ref(to));
        self.change_entries(from, to);
        if from.revision != to.revision {
            self.delete(Key::rendition_count(to.space_id, to.id));
        }

        let now = self.now();
        let is_restored = from.status == FileStatus::Trashed && to.status == FileStatus::Active;
        if is_restored {
            let space = Key::space(to.space_id);
            self.check(space, &open_space(now), Reason::SpaceDeleted);
        }
        if let Some(folder) = to.folder_id()
            && (is_restored || from.folder_id() != Some(folder))
        {
            let folder = Key::folder(to.space_id, folder);
            self.check(folder, &unlocked_folder(now), Reason::FolderUnavailable);
        }
    }

    /// Inserts a file and the index entry of its folder.
    fn insert_file(&mut self, file: &File) {
        let lookup = FileLookup {
            space_id: Some(file.space_id),
            expires_at_seconds: None,
        };
        let folder_entry = folder_entry(file);

        self.insert(Key::file(file.space_id, file.id), file, Reason::IdTaken);
        self.insert(Key::file_lookup(file.id), &lookup, Reason::IdTaken);
        self.put(folder_entry.key, &folder_entry.record);
        if file.status == FileStatus::Active {
            self.insert(Key::path(&file.storage_path), file, Reason::PathTaken);
        }
    }

    /// Changes the item of a file's storage path, which active files have.
    fn change_path(&mut self, from: &File, to: &File) {
        let path = Key::path(&from.storage_path);
        match (from.status, to.status) {
            (FileStatus::Active, FileStatus::Active) => {
                self.replace(path, &without_exif(to), from.version);
            }
            (FileStatus::Active, _) => self.delete_version(path, from.version),
            (_, FileStatus::Active) => self.insert(path, &without_exif(to), Reason::PathTaken),
            _ => {}
        }
    }

    /// Deletes a file if it is still this version, and the index entry of its folder.
    fn delete_file(&mut self, file: &File) {
        let is_in_space = Condition::equals("space_id", text(file.space_id));
        let lookup = Key::file_lookup(file.id);

        self.delete_version(Key::file(file.space_id, file.id), file.version);
        self.delete_if(lookup, &is_in_space, Reason::VersionConflict);
        if file.status != FileStatus::Trashed {
            self.delete(folder_entry(file).key);
        }
        if file.status == FileStatus::Active {
            self.delete_version(Key::path(&file.storage_path), file.version);
        }
    }
}
