//! Spaces: found by id and by handle, named like no other, changed one version at a time.
//!
//! A deleted space is read as none at all, until its purge has removed the record too.

use domain::{Completion, FolderId, Handle, Role, Space, SpaceId, UploadConfig, UserId};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    Key, Reason, Table, TableError, WriteError,
    condition::{Condition, text},
    key::{FILES, PARTITION, SORT, folder_sort, space_partition},
    members::Membership,
    transaction::Transaction,
};

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
    #[instrument(skip_all)]
    pub async fn create_space(
        &self,
        space: &Space,
        starter: &UploadConfig,
        creator: UserId,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let mut transaction = self.transaction();
        transaction.insert_space(space, starter, creator);
        transaction.commit_with(completion).await
    }

    /// Replaces the version of a space that a change was made from. A name that the space gives up,
    /// by a new name or by its deletion, is free at the same moment. Returns the new version.
    #[instrument(skip_all)]
    pub async fn change_space(&self, from: &Space, to: &Space) -> Result<u64, WriteError> {
        let to = &Space {
            version: from.version + 1,
            ..to.clone()
        };
        let is_renamed = from.name.folded() != to.name.folded();
        let is_deleted = from.deleted_at.is_none() && to.deleted_at.is_some();

        let mut transaction = self.transaction();
        transaction.replace(Key::space(from.id), to, from.version);
        transaction.replace(Key::handle(&from.handle), to, from.version);
        if is_renamed {
            transaction.insert(
                Key::space_name(&to.name),
                &TakenName { space_id: to.id },
                Reason::NameTaken,
            );
        }
        if is_renamed || is_deleted {
            let is_ours = Condition::equals("space_id", text(from.id));
            transaction.delete_if(
                Key::space_name(&from.name),
                &is_ours,
                Reason::VersionConflict,
            );
        }
        if from.active_upload_config_id != to.active_upload_config_id {
            let config = Key::upload_config(to.id, to.active_upload_config_id);
            transaction.check(config, &Condition::exists(), Reason::ConfigMissing);
        }
        transaction.commit().await?;
        Ok(to.version)
    }

    /// A space.
    #[instrument(skip_all)]
    pub async fn space(&self, id: SpaceId) -> Result<Option<Space>, TableError> {
        Ok(existing(self.deleted_or_existing_space(id).await?))
    }

    /// A space, also where it was deleted and its purge has not ended.
    #[instrument(skip_all)]
    pub async fn deleted_or_existing_space(
        &self,
        id: SpaceId,
    ) -> Result<Option<Space>, TableError> {
        self.get(Key::space(id)).await
    }

    /// Whether a space has any file or folder.
    #[instrument(skip_all)]
    pub async fn has_assets(&self, id: SpaceId) -> Result<bool, TableError> {
        let query = self
            .client
            .query()
            .table_name(&self.name)
            .consistent_read(true)
            // Nothing else sorts between the two.
            .key_condition_expression(
                "#partition = :partition AND #sort BETWEEN :files AND :folders",
            )
            .expression_attribute_names("#partition", PARTITION)
            .expression_attribute_names("#sort", SORT)
            .expression_attribute_values(":partition", text(space_partition(id)))
            .expression_attribute_values(":files", text(FILES))
            .expression_attribute_values(":folders", text(folder_sort(FolderId::MAX)))
            .limit(1);
        let answer = self.call(|| query.clone().send()).await?;
        Ok(answer.count > 0)
    }

    /// A space, by its handle.
    #[instrument(skip_all)]
    pub async fn space_by_handle(&self, handle: &Handle) -> Result<Option<Space>, TableError> {
        Ok(self
            .get::<ByHandle>(Key::handle(handle))
            .await?
            .and_then(ByHandle::space))
    }

    /// Leaves of a deleted space that its handle is never to be used again; safe to repeat.
    #[instrument(skip_all)]
    pub async fn retire_handle(&self, handle: &Handle) -> Result<(), TableError> {
        self.overwrite(Key::handle(handle), &Retired { is_retired: true })
            .await
    }
}

impl Transaction<'_> {
    /// Inserts a space, its first upload config and its creator's role.
    pub(crate) fn insert_space(&mut self, space: &Space, starter: &UploadConfig, creator: UserId) {
        let membership = Membership {
            user_id: creator,
            space_id: space.id,
            role: Role::Owner,
        };
        self.insert(
            Key::space_name(&space.name),
            &TakenName { space_id: space.id },
            Reason::NameTaken,
        );
        self.insert(Key::handle(&space.handle), space, Reason::HandleTaken);
        self.insert(Key::space(space.id), space, Reason::IdTaken);
        self.insert(
            Key::membership(creator, space.id),
            &membership,
            Reason::IdTaken,
        );
        self.insert(Key::member(space.id, creator), &membership, Reason::IdTaken);
        self.insert_upload_config(starter);
    }
}
