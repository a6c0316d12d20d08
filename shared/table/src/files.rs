//! Files: in their space's partition, by where they are delivered, and whose a bare id is.

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use domain::{File, FileId, FileStatus, Handle, HourlyQuota, Sources, Space, SpaceId, UserId};
use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::{
    Claim, Completion, Error, Key, Listing, Start, Table,
    key::{FILES, space_partition},
    members::Membership,
    spaces::{ByHandle, existing},
    write::NotWritten,
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
    /// It is not pending any more: somebody else made it active, or removed it. Nothing was written.
    NotPending,
    /// Another file has its stored name. Nothing was written.
    NameTaken,
    /// The table failed. Whether it was written is not known.
    Failed(Error),
}

/// Whose a file is; nobody's where its writing was given up.
#[derive(Serialize, Deserialize)]
struct FileOwner {
    space_id: Option<SpaceId>,
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
        sources: &Sources,
        completion: Option<&Completion>,
    ) -> Result<(), FileRefused> {
        let (roles, members) = self.members_of_new_files(files, quota).map_err(FileRefused::Failed)?;
        let refused = match self.transact(sources, members, completion).await {
            Ok(()) => return Ok(()),
            Err(NotWritten::Refused(refused)) => refused,
            Err(NotWritten::Failed(error)) => return Err(FileRefused::Failed(error)),
        };
        let is_refused = |role| refused.iter().any(|member| roles.get(*member) == Some(&role));
        Err(if is_refused(Role::Path) {
            FileRefused::NameTaken
        } else if is_refused(Role::Quota) {
            FileRefused::QuotaUsedUp
        } else {
            FileRefused::Failed(Error::busy("these ids were used up before"))
        })
    }

    fn members_of_new_files(
        &self,
        files: &[File],
        quota: Option<HourlyQuota>,
    ) -> Result<(Vec<Role>, Vec<TransactWriteItem>), Error> {
        let mut members = Vec::new();
        for file in files {
            let owner = FileOwner { space_id: Some(file.space_id), expires_at_seconds: None };
            members.push((Role::Record, self.put_new(Key::file(file.space_id, file.id), file)?));
            members.push((Role::Record, self.put_new(Key::file_owner(file.id), &owner)?));
            if file.status == FileStatus::Active {
                members.push((Role::Path, self.put_new(Key::path(&file.storage_path), file)?));
            }
        }
        if let (Some(quota), Some(file)) = (quota, files.first()) {
            members.push((Role::Quota, self.count_upload(file.space_id, quota)?));
        }
        Ok(members.into_iter().unzip())
    }

    /// Writes an active file over the pending one that it was, once: who comes second is refused.
    pub async fn activate_file(&self, file: &File, sources: &Sources) -> Result<(), ActivationRefused> {
        let key = Key::file(file.space_id, file.id);
        let members = self.put_over(key, file, is_pending()).and_then(|record| {
            let path = self.put_new(Key::path(&file.storage_path), file)?;
            Ok(vec![record, path])
        });
        match self.transact(sources, members.map_err(ActivationRefused::Failed)?, None).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(refused)) if refused.contains(&RECORD_MEMBER) => Err(ActivationRefused::NotPending),
            Err(NotWritten::Refused(_)) => Err(ActivationRefused::NameTaken),
            Err(NotWritten::Failed(error)) => Err(ActivationRefused::Failed(error)),
        }
    }

    /// Removes where a file is delivered; safe to repeat.
    pub async fn remove_path(&self, file: &File) -> Result<(), Error> {
        self.delete_if(Key::path(&file.storage_path), "id", AttributeValue::S(file.id.to_string())).await
    }

    /// Removes a file, if it is pending still; `false` where it is not.
    pub async fn remove_pending_file(&self, file: &File, sources: &Sources) -> Result<bool, Error> {
        let is_ours = ("space_id", AttributeValue::S(file.space_id.to_string()));
        let members = vec![
            self.delete_where(Key::file(file.space_id, file.id), is_pending())?,
            self.delete_where(Key::file_owner(file.id), is_ours)?,
        ];
        match self.transact(sources, members, None).await {
            Ok(()) => Ok(true),
            Err(NotWritten::Refused(_)) => Ok(false),
            Err(NotWritten::Failed(error)) => Err(error),
        }
    }

    /// Settles whether files, whose writing failed, are there: where they are not, this makes sure that they never will be,
    /// and gives back the claim of their request, whose ids are thereby used up.
    pub async fn settle_files(&self, files: &[File], sources: &Sources, claim: Option<&Claim>) -> Result<bool, Error> {
        // They are written all or nothing, so one of them stands for all.
        let Some(file) = files.first() else { return Ok(true) };
        let expires_at_seconds = sources.now().plus_ms(GIVEN_UP_MS).seconds();
        let nobody = FileOwner { space_id: None, expires_at_seconds: Some(expires_at_seconds) };
        let mut members = vec![self.put_new(Key::file_owner(file.id), &nobody)?];
        members.extend(claim.map(|claim| self.give_back(claim)).transpose()?);
        match self.transact(sources, members, None).await {
            Ok(()) => Ok(false),
            Err(NotWritten::Refused(refused)) if refused.contains(&OWNER_MEMBER) => {
                Ok(self.space_of_file(file.id).await?.is_some())
            }
            Err(NotWritten::Refused(_)) => Err(Error::busy("another request took over what this one was doing")),
            Err(NotWritten::Failed(error)) => Err(error),
        }
    }

    /// Takes back files that were just written, and what ended the request that they came with.
    pub async fn take_back_files(&self, files: &[File], sources: &Sources, claim: Option<&Claim>) -> Result<(), Error> {
        let mut members = Vec::new();
        for file in files {
            let is_it = || ("id", AttributeValue::S(file.id.to_string()));
            let is_ours = ("space_id", AttributeValue::S(file.space_id.to_string()));
            members.push(self.delete_where(Key::file(file.space_id, file.id), is_it())?);
            if file.status == FileStatus::Active {
                members.push(self.delete_where(Key::path(&file.storage_path), is_it())?);
            }
            members.push(self.delete_where(Key::file_owner(file.id), is_ours)?);
        }
        members.extend(claim.map(|claim| self.give_back(claim)).transpose()?);
        match self.transact(sources, members, None).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(_)) => Err(Error::busy("somebody else changed what was to be taken back")),
            Err(NotWritten::Failed(error)) => Err(error),
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
        let (membership, file, space) = (Key::membership(user, space), Key::file(space, file), Key::space(space));
        let mut found = self.get_together([space.clone(), file.clone(), membership.clone()]).await?;
        let (space, file, membership) = (existing(found.take(&space)?), found.take(&file)?, found.take(&membership)?);
        Ok(space.zip(file).zip(membership).map(|((space, file), membership)| (space, file, membership)))
    }

    /// Whether a space has any file.
    pub async fn has_files(&self, space: SpaceId) -> Result<bool, Error> {
        let listing = Listing { start: Start::<FileId>::Newest, limit: 1 };
        let page =
            self.page::<_, IgnoredAny>(space_partition(space), FILES, listing, |id| format!("{FILES}{id}")).await?;
        Ok(!page.records.is_empty())
    }

    /// A file by where it is delivered, and the space of its handle.
    pub async fn delivered(&self, handle: &Handle, storage_path: &str) -> Result<(Option<File>, Option<Space>), Error> {
        let (file, space) = (Key::path(storage_path), Key::handle(handle));
        let mut found = self.get_together([file.clone(), space.clone()]).await?;
        Ok((found.take(&file)?, found.take::<ByHandle>(&space)?.and_then(ByHandle::space)))
    }
}

fn is_pending() -> (&'static str, AttributeValue) {
    ("status", AttributeValue::S("pending".to_owned()))
}
