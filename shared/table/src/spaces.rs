//! Spaces: found by id and by handle, named like no other, changed one version at a time.
//!
//! A deleted space is read as none at all, until its purge has removed the record too.

use aws_sdk_dynamodb::types::{AttributeValue, ConditionCheck, TransactWriteItem};
use domain::{FolderId, Handle, Role, Space, SpaceId, UploadConfig, UserId};
use serde::{Deserialize, Serialize};

use crate::{
    Completion, Error, Key, Table,
    key::{FILES, PARTITION, SORT, folder_sort, space_partition},
    members::Membership,
    write::NotWritten,
};

/// Why a space was not created.
#[derive(Debug)]
pub enum SpaceRefused {
    /// Another space has its name.
    NameTaken,
    /// Another space has, or had, its handle.
    HandleTaken,
    /// The table failed.
    Failed(Error),
}

/// Why a space was not changed.
#[derive(Debug)]
pub enum ChangeRefused {
    /// Another space has its name.
    NameTaken,
    /// The upload config that was to be active is not there any more.
    ConfigGone,
    /// Somebody changed it in the meantime: what was changed is not what is there.
    Stale,
    /// The table failed.
    Failed(Error),
}

/// That a space's name is taken, and by which space.
#[derive(Serialize, Deserialize)]
struct TakenName {
    space_id: SpaceId,
}

/// What is found under a handle: its space, or that it is never to be used again.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum ByHandle {
    Space(Box<Space>),
    Retired(#[expect(dead_code, reason = "that it is there says all")] Retired),
}

/// That a handle's space was deleted.
#[derive(Serialize, Deserialize)]
pub(crate) struct Retired {
    is_retired: bool,
}

impl ByHandle {
    /// The space, where it exists.
    pub(crate) fn space(self) -> Option<Space> {
        match self {
            ByHandle::Space(space) => existing(Some(*space)),
            ByHandle::Retired(_) => None,
        }
    }
}

/// The space, unless it was deleted.
pub(crate) fn existing(space: Option<Space>) -> Option<Space> {
    space.filter(|space| space.deleted_at.is_none())
}

impl Table {
    /// Writes a new space, its first upload config and its creator's role, all or nothing.
    pub async fn create_space(
        &self,
        space: &Space,
        starter: &UploadConfig,
        creator: UserId,
        completion: Option<&Completion>,
    ) -> Result<(), SpaceRefused> {
        let members = self.members_of_new_space(space, starter, creator).map_err(SpaceRefused::Failed)?;
        match self.transact(members, completion).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(refused)) if refused.contains(&0) => Err(SpaceRefused::NameTaken),
            Err(NotWritten::Refused(refused)) if refused.contains(&1) => Err(SpaceRefused::HandleTaken),
            Err(NotWritten::Refused(_)) => Err(SpaceRefused::Failed(Error::busy("a fresh id was taken"))),
            Err(NotWritten::Failed(error)) => Err(SpaceRefused::Failed(error)),
        }
    }

    /// The members of a transaction that makes a space: first its name, then its handle.
    pub(crate) fn members_of_new_space(
        &self,
        space: &Space,
        starter: &UploadConfig,
        creator: UserId,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let membership = Membership { user_id: creator, space_id: space.id, role: Role::Owner };
        let mut members = vec![
            self.put_new(Key::space_name(&space.name), &TakenName { space_id: space.id })?,
            self.put_new(Key::handle(&space.handle), space)?,
            self.put_new(Key::space(space.id), space)?,
            self.put_new(Key::membership(creator, space.id), &membership)?,
            self.put_new(Key::member(space.id, creator), &membership)?,
        ];
        members.extend(self.members_of_new_config(starter)?);
        Ok(members)
    }

    /// Writes a changed space over the version it was made from, in one transaction. A name that the space gives up, by a
    /// new name or by its deletion, is free at the same moment. Returns the version that was written.
    pub async fn change_space(&self, from: &Space, to: &Space) -> Result<u64, ChangeRefused> {
        let members = self.members_of_changed_space(from, to).map_err(ChangeRefused::Failed)?;
        let config = (from.active_upload_config_id != to.active_upload_config_id).then(|| members.len() - 1);
        let is_renamed = from.name.folded() != to.name.folded();

        match self.transact(members, None).await {
            Ok(()) => Ok(from.version + 1),
            Err(NotWritten::Refused(refused)) if config.is_some_and(|config| refused == [config]) => {
                Err(ChangeRefused::ConfigGone)
            }
            Err(NotWritten::Refused(refused)) if is_renamed && refused == [NAME_MEMBER] => {
                Err(ChangeRefused::NameTaken)
            }
            Err(NotWritten::Refused(_)) => Err(ChangeRefused::Stale),
            Err(NotWritten::Failed(error)) => Err(ChangeRefused::Failed(error)),
        }
    }

    fn members_of_changed_space(&self, from: &Space, to: &Space) -> Result<Vec<TransactWriteItem>, Error> {
        let to = &Space { version: from.version + 1, ..to.clone() };
        let is_version = ("version", AttributeValue::N(from.version.to_string()));
        let mut members = vec![
            self.put_over(Key::space(from.id), to, is_version.clone())?,
            self.put_over(Key::handle(&from.handle), to, is_version)?,
        ];
        let is_renamed = from.name.folded() != to.name.folded();
        let is_deleted = from.deleted_at.is_none() && to.deleted_at.is_some();

        if is_renamed {
            members.push(self.put_new(Key::space_name(&to.name), &TakenName { space_id: to.id })?);
        }
        if is_renamed || is_deleted {
            let is_ours = ("space_id", AttributeValue::S(from.id.to_string()));
            members.push(self.delete_where(Key::space_name(&from.name), is_ours)?);
        }
        if from.active_upload_config_id != to.active_upload_config_id {
            members.push(self.exists(Key::upload_config(to.id, to.active_upload_config_id))?);
        }
        Ok(members)
    }

    /// A space.
    pub async fn space(&self, id: SpaceId) -> Result<Option<Space>, Error> {
        Ok(existing(self.deleted_or_existing_space(id).await?))
    }

    /// A space, also where it was deleted and its purge has not ended.
    pub async fn deleted_or_existing_space(&self, id: SpaceId) -> Result<Option<Space>, Error> {
        self.get(Key::space(id)).await
    }

    /// Whether a space has any file or folder.
    pub async fn has_assets(&self, id: SpaceId) -> Result<bool, Error> {
        let answer = self
            .client
            .query()
            .table_name(&self.name)
            .consistent_read(true)
            // Nothing else sorts between the two.
            .key_condition_expression("#partition = :partition AND #sort BETWEEN :files AND :folders")
            .expression_attribute_names("#partition", PARTITION)
            .expression_attribute_names("#sort", SORT)
            .expression_attribute_values(":partition", AttributeValue::S(space_partition(id)))
            .expression_attribute_values(":files", AttributeValue::S(FILES.to_owned()))
            .expression_attribute_values(":folders", AttributeValue::S(folder_sort(FolderId::LAST)))
            .limit(1)
            .send()
            .await
            .map_err(Error::from_sdk)?;
        Ok(answer.count > 0)
    }

    /// A space, by its handle.
    pub async fn space_by_handle(&self, handle: &Handle) -> Result<Option<Space>, Error> {
        Ok(self.get::<ByHandle>(Key::handle(handle)).await?.and_then(ByHandle::space))
    }

    /// Transaction member that holds while a space exists and has not been deleted.
    pub(crate) fn space_exists(&self, space: SpaceId) -> Result<TransactWriteItem, Error> {
        let check = ConditionCheck::builder()
            .condition_expression("attribute_exists(#partition) AND attribute_not_exists(deleted_at)")
            .expression_attribute_names("#partition", PARTITION);
        self.check(check, Key::space(space))
    }

    /// Leaves of a deleted space that its handle is never to be used again; safe to repeat.
    pub async fn retire_handle(&self, handle: &Handle) -> Result<(), Error> {
        self.overwrite(Key::handle(handle), &Retired { is_retired: true }).await
    }
}

/// The place of the new name among the members of a change.
const NAME_MEMBER: usize = 2;
