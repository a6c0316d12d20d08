//! Files: in their space's partition, by where they are delivered, and whose a bare id is.

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use domain::{File, FileId, FileStatus, HourlyQuota, Space, SpaceId, UserId};
use serde::{Deserialize, Serialize};

use crate::{
    Claim, Completion, Error, Key, Table,
    file_index::{Entry, entries, folder_entry, reference_entry},
    members::Membership,
    spaces::existing,
    write::{NotWritten, TRANSACTION_MEMBERS},
};

/// Why files were not created.
#[derive(Debug)]
pub enum FileRefused {
    /// Another file has the stored name of one of them. Nothing was written.
    NameTaken,
    /// Strangers have used up the uploads of the hour. Nothing was written.
    QuotaUsedUp,
    /// The table failed. Whether they were written is not known.
    Failed(Error),
}

/// Why a file was not made active.
#[derive(Debug)]
pub enum ActivationRefused {
    /// It is not what it was made of any more: somebody else changed it, made it active, or removed it. Nothing was written.
    Stale,
    /// Another file has its stored name. Nothing was written.
    NameTaken,
    /// The table failed. Whether it was written is not known.
    Failed(Error),
}

/// Why a file was not changed.
#[derive(Debug)]
pub enum ChangeFileRefused {
    /// The folder it was to be moved to is gone, or about to go.
    FolderGone,
    /// Somebody changed it in the meantime, or it is gone.
    Stale,
    /// The table failed.
    Failed(Error),
}

impl From<Error> for ChangeFileRefused {
    fn from(error: Error) -> ChangeFileRefused {
        ChangeFileRefused::Failed(error)
    }
}

/// Whose a file is; nobody's where its writing was given up.
#[derive(Serialize, Deserialize)]
pub(crate) struct FileOwner {
    pub(crate) space_id: Option<SpaceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at_seconds: Option<i64>,
}

/// What a member of a transaction that writes files is there for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Record,
    Path,
    Quota,
}

/// What writes new files: the members of a transaction, and what does not fit into it.
struct NewFiles {
    members: Vec<(Role, TransactWriteItem)>,
    /// The entries to be written before it.
    ahead: Vec<(Key, Entry)>,
}

/// The place of the file's owner among the members of what settles it.
const OWNER_MEMBER: usize = 0;
/// The place of the record among the members of what activates a file.
const RECORD_MEMBER: usize = 0;

/// How long a file that was given up keeps its id from being written, in milliseconds: far longer than any request lasts.
const GIVEN_UP_MS: i64 = 60 * 60 * 1_000;

impl Table {
    /// Writes new files' records, all or nothing; with a quota, as one upload of its hour. Only active ones are found by
    /// where they are delivered.
    pub async fn create_files(
        &self,
        files: &[File],
        quota: Option<HourlyQuota>,
        completion: Option<&Completion>,
    ) -> Result<(), FileRefused> {
        let NewFiles { members, ahead } = self.members_of_new_files(files, quota).map_err(FileRefused::Failed)?;
        self.overwrite_all(&ahead).await.map_err(FileRefused::Failed)?;
        let (roles, members): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        let refused = match self.transact(members, completion).await {
            Ok(()) => return Ok(()),
            Err(NotWritten::Refused(refused)) => refused,
            Err(NotWritten::Failed(error)) => return Err(FileRefused::Failed(error)),
        };
        if !ahead.is_empty() {
            self.remove_entries(files).await;
        }
        let is_refused = |role| refused.iter().any(|member| roles.get(*member) == Some(&role));
        Err(if is_refused(Role::Path) {
            FileRefused::NameTaken
        } else if is_refused(Role::Quota) {
            FileRefused::QuotaUsedUp
        } else {
            FileRefused::Failed(Error::busy("these ids were used up before"))
        })
    }

    fn members_of_new_files(&self, files: &[File], quota: Option<HourlyQuota>) -> Result<NewFiles, Error> {
        let mut members = Vec::new();
        for file in files {
            let owner = FileOwner { space_id: Some(file.space_id), expires_at_seconds: None };
            let (folder, entry) = folder_entry(file);
            members.push((Role::Record, self.put_new(Key::file(file.space_id, file.id), file)?));
            members.push((Role::Record, self.put_new(Key::file_owner(file.id), &owner)?));
            members.push((Role::Record, self.put_any(folder, &entry)?));
            if file.status == FileStatus::Active {
                members.push((Role::Path, self.put_new(Key::path(&file.storage_path), file)?));
            }
        }
        if let (Some(quota), Some(file)) = (quota, files.first()) {
            members.push((Role::Quota, self.count_upload(file.space_id, quota)?));
        }
        // One more member may complete a claim.
        let entries: Vec<(Key, Entry)> = files.iter().flat_map(entries).collect();
        if members.len() + entries.len() >= TRANSACTION_MEMBERS {
            return Ok(NewFiles { members, ahead: entries });
        }
        for (key, entry) in entries {
            members.push((Role::Record, self.put_any(key, &entry)?));
        }
        Ok(NewFiles { members, ahead: Vec::new() })
    }

    /// Writes an active file over the pending one that it was made of, with the entry of its reference. It succeeds once.
    pub async fn activate_file(&self, file: &File) -> Result<(), ActivationRefused> {
        let key = Key::file(file.space_id, file.id);
        let active = File { version: file.version + 1, ..file.clone() };
        let members = self.put_over(key, &active, is_version(file)).and_then(|record| {
            let mut members = vec![record, self.put_new(Key::path(&file.storage_path), &active)?];
            if let Some((key, entry)) = reference_entry(&active) {
                members.push(self.put_any(key, &entry)?);
            }
            Ok(members)
        });
        match self.transact(members.map_err(ActivationRefused::Failed)?, None).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(refused)) if refused.contains(&RECORD_MEMBER) => Err(ActivationRefused::Stale),
            Err(NotWritten::Refused(_)) => Err(ActivationRefused::NameTaken),
            Err(NotWritten::Failed(error)) => Err(ActivationRefused::Failed(error)),
        }
    }

    /// Removes where a file is delivered; safe to repeat.
    pub async fn remove_path(&self, file: &File) -> Result<(), Error> {
        self.delete_if(Key::path(&file.storage_path), "id", AttributeValue::S(file.id.to_string())).await
    }

    /// Removes a file, if it is as it was read; `false` where somebody changed it, or it is gone.
    pub async fn remove_file(&self, file: &File) -> Result<bool, Error> {
        let is_ours = ("space_id", AttributeValue::S(file.space_id.to_string()));
        let mut members = vec![
            self.delete_where(Key::file(file.space_id, file.id), is_version(file))?,
            self.delete_where(Key::file_owner(file.id), is_ours)?,
        ];
        if file.status == FileStatus::Active {
            members.push(self.delete_where(Key::path(&file.storage_path), is_version(file))?);
        }
        members.extend(self.members_of_removed_entries(file)?);
        match self.transact(members, None).await {
            Ok(()) => Ok(true),
            Err(NotWritten::Refused(_)) => Ok(false),
            Err(NotWritten::Failed(error)) => Err(error),
        }
    }

    /// Settles whether files, whose writing failed, are there: where they are not, this makes sure that they never will be,
    /// and gives back the claim of their request, whose ids are thereby used up.
    pub async fn settle_files(&self, files: &[File], claim: Option<&Claim>) -> Result<bool, Error> {
        // They are written all or nothing, so one of them stands for all.
        let Some(file) = files.first() else { return Ok(true) };
        let expires_at_seconds = self.sources.now().plus_ms(GIVEN_UP_MS).seconds();
        let nobody = FileOwner { space_id: None, expires_at_seconds: Some(expires_at_seconds) };
        let mut members = vec![self.put_new(Key::file_owner(file.id), &nobody)?];
        members.extend(claim.map(|claim| self.give_back(claim)).transpose()?);
        match self.transact(members, None).await {
            Ok(()) => {
                self.remove_entries(files).await;
                Ok(false)
            }
            Err(NotWritten::Refused(refused)) if refused.contains(&OWNER_MEMBER) => {
                Ok(self.space_of_file(file.id).await?.is_some())
            }
            Err(NotWritten::Refused(_)) => Err(Error::contended("another request took over what this one was doing")),
            Err(NotWritten::Failed(error)) => Err(error),
        }
    }

    /// Takes back files that were just written, and what ended the request that they came with; `false` where somebody has
    /// changed or deleted one of them since.
    pub async fn take_back_files(&self, files: &[File], claim: Option<&Claim>) -> Result<bool, Error> {
        let mut members = Vec::new();
        for file in files {
            let is_ours = ("space_id", AttributeValue::S(file.space_id.to_string()));
            members.push(self.delete_where(Key::file(file.space_id, file.id), is_version(file))?);
            if file.status == FileStatus::Active {
                members.push(self.delete_where(Key::path(&file.storage_path), is_version(file))?);
            }
            members.push(self.delete_where(Key::file_owner(file.id), is_ours)?);
            members.push(self.delete_any(folder_entry(file).0)?);
        }
        members.extend(claim.map(|claim| self.give_back(claim)).transpose()?);
        match self.transact(members, None).await {
            Ok(()) => {
                self.remove_entries(files).await;
                Ok(true)
            }
            Err(NotWritten::Refused(_)) => Ok(false),
            Err(NotWritten::Failed(error)) => Err(error),
        }
    }

    /// Writes a changed file over the one that it was made from, in whatever folder it is then, and by whatever it is found
    /// then. Gives the version that was written.
    pub async fn change_file(&self, from: &File, to: &File) -> Result<u64, ChangeFileRefused> {
        let to = &File { version: from.version + 1, ..to.clone() };
        let mut members = vec![self.put_over(Key::file(from.space_id, from.id), to, is_version(from))?];
        if from.status == FileStatus::Active {
            members.push(self.put_over(Key::path(&from.storage_path), to, is_version(from))?);
        }
        members.extend(self.members_of_changed_entries(from, to)?);
        let folder = to.folder_id().filter(|folder| from.folder_id() != Some(*folder));
        if let Some(folder) = folder {
            members.push(self.is_open(to.space_id, folder, self.sources.now())?);
        }
        let last = members.len() - 1;
        match self.transact(members, None).await {
            Ok(()) => Ok(to.version),
            Err(NotWritten::Refused(refused)) if folder.is_some() && refused == [last] => {
                Err(ChangeFileRefused::FolderGone)
            }
            Err(NotWritten::Refused(_)) => Err(ChangeFileRefused::Stale),
            Err(NotWritten::Failed(error)) => Err(error.into()),
        }
    }

    /// The space of a file.
    pub async fn space_of_file(&self, id: FileId) -> Result<Option<SpaceId>, Error> {
        let owner: Option<FileOwner> = self.get(Key::file_owner(id)).await?;
        Ok(owner.and_then(|owner| owner.space_id))
    }

    /// A space, and a file in it.
    pub async fn space_and_file(&self, space: SpaceId, file: FileId) -> Result<(Option<Space>, Option<File>), Error> {
        let (space, file) = (Key::space(space), Key::file(space, file));
        let mut found = self.get_together([space.clone(), file.clone()]).await?;
        Ok((existing(found.take(&space)?), found.take(&file)?))
    }

    /// A space, a file in it, and what a user may do there; `None` where any of them is missing.
    pub async fn space_file_and_membership(
        &self,
        space: SpaceId,
        file: FileId,
        user: UserId,
    ) -> Result<Option<(Space, File, Membership)>, Error> {
        self.space_record_and_membership(space, Key::file(space, file), user).await
    }
}

fn is_version(file: &File) -> (&'static str, AttributeValue) {
    ("version", AttributeValue::N(file.version.to_string()))
}
