//! Spaces: created with a unique name and handle, changed one version at a time.

pub(crate) mod members;
pub(crate) mod record;
pub(crate) mod replicas;
pub(crate) mod resource;
mod usage;

pub use members::{FirstUserRecords, JoinedSpace, Membership, User, UserWithKey};
pub use record::WithSpace;
pub use resource::{RecordForMember, SpaceResource};

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    env::Timestamp,
    id::{SpaceId, UserId},
    keys::Role,
    requests::Completion,
    spaces::{Handle, Space},
    uploads::UploadConfig,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tracing::instrument;

use crate::{
    condition::{Condition, number, text},
    connection::SpaceRecords,
    errors::{Reason, TableError, WriteError},
    key::{FILES_IN_FOLDERS, FOLDERS, Key, space_partition},
    query::PREFIX_END,
    spaces::record::{HandleOwner, RetiredHandle, SpaceLookup, existing},
    transaction::Transaction,
};

/// Item that guarantees the uniqueness of a space's name.
#[derive(Serialize, Deserialize)]
struct SpaceNameOwner {
    space_id: SpaceId,
}

impl SpaceRecords<'_> {
    /// Creates a space, its starter config and its creator's membership, all or nothing.
    #[instrument(name = "create_space", skip_all)]
    pub async fn create(
        self,
        space: &Space,
        starter: &UploadConfig,
        creator: UserId,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let mut transaction = self.table.transaction();
        transaction.insert_space(space, starter, creator);
        transaction.commit_with(completion).await
    }

    /// Replaces a space if it is still the version `from`. Frees the previous name if the space is
    /// renamed or deleted. Returns the new version of the space.
    #[instrument(name = "change_space", skip_all)]
    pub async fn change(self, from: &Space, to: Space) -> Result<Space, WriteError> {
        let to = Space {
            version: from.version + 1,
            ..to
        };
        let is_renamed = from.name.folded() != to.name.folded();
        let is_deleted = from.deleted_at.is_none() && to.deleted_at.is_some();

        let mut transaction = self.table.transaction();
        transaction.replace(Key::space(from.id), &to, from.version);
        transaction.replace_replicas(from, &to);
        if is_renamed {
            let owner = SpaceNameOwner { space_id: to.id };
            transaction.insert(Key::space_name(&to.name), &owner, Reason::NameTaken);
        }
        if is_renamed || is_deleted {
            let is_owner = Condition::equals("space_id", text(from.id));
            let name = Key::space_name(&from.name);
            transaction.delete_if(name, &is_owner, Reason::VersionConflict);
        }
        if from.active_upload_config_id != to.active_upload_config_id {
            let config = Key::upload_config(to.id, to.active_upload_config_id);
            transaction.check(config, &Condition::exists(), Reason::ConfigMissing);
        }

        transaction.commit().await?;
        Ok(to)
    }

    /// Returns a space, unless it was deleted.
    #[instrument(name = "space", skip_all)]
    pub async fn get(self, id: SpaceId) -> Result<Option<Space>, TableError> {
        Ok(existing(self.deleted_or_existing(id).await?))
    }

    /// Returns a space, also if it was deleted and its purge has not ended.
    #[instrument(name = "deleted_or_existing_space", skip_all)]
    pub async fn deleted_or_existing(self, id: SpaceId) -> Result<Option<Space>, TableError> {
        self.table.get(Key::space(id)).await
    }

    /// Returns whether a space has any folder, or any file that is not trashed.
    #[instrument(skip_all)]
    pub async fn has_files_or_folders(self, id: SpaceId) -> Result<bool, TableError> {
        // Only folders and the entries of files in folders and in the root sort in this range.
        let last = text(format!("{FILES_IN_FOLDERS}{PREFIX_END}"));
        let query = self
            .table
            .range_query(&space_partition(id), text(FOLDERS), last)
            .limit(1);

        let response = self.table.call(|| query.clone().send()).await?;
        Ok(response.count > 0)
    }

    /// Returns the id of the space with a handle. The space may be deleted.
    #[instrument(name = "space_of_handle", skip_all)]
    pub async fn of_handle(self, handle: &Handle) -> Result<Option<SpaceId>, TableError> {
        let owner: Option<HandleOwner> = self.table.get(Key::handle(handle)).await?;
        Ok(owner.and_then(|owner| owner.space_id()))
    }

    /// Marks the handle of a purged space as retired, so that no other space takes it. Idempotent.
    #[instrument(skip_all)]
    pub async fn retire_handle(self, handle: &Handle) -> Result<(), TableError> {
        let retired = RetiredHandle { is_retired: true };
        self.table.overwrite(Key::handle(handle), &retired).await
    }

    /// Returns a space and one of its records.
    pub(crate) async fn with_record<T: DeserializeOwned>(
        self,
        space: SpaceId,
        record: Key,
    ) -> Result<WithSpace<T>, TableError> {
        let space_key = Key::space(space);
        let mut found = self
            .table
            .batch_get([space_key.clone(), record.clone()])
            .await?;
        Ok(WithSpace {
            space: existing(found.take(&space_key)?),
            record: found.take(&record)?,
        })
    }
}

impl Transaction<'_> {
    /// Inserts a space with its replicas for delivery, its starter config and its creator's
    /// membership.
    pub(crate) fn insert_space(&mut self, space: &Space, starter: &UploadConfig, creator: UserId) {
        let lookup = SpaceLookup { space_id: space.id };
        let owner = SpaceNameOwner { space_id: space.id };
        let membership = Membership {
            user_id: creator,
            space_id: space.id,
            role: Role::Owner,
        };
        self.insert(Key::space_name(&space.name), &owner, Reason::NameTaken);
        self.insert(Key::handle(&space.handle), &lookup, Reason::HandleTaken);
        self.insert(Key::space(space.id), space, Reason::IdTaken);
        self.put_replicas(space);
        self.insert_membership(&membership);
        self.insert_upload_config(starter);
    }
}

/// Holds if a space exists, and is neither deleted nor locked for a deletion.
pub(crate) fn open_space(now: Timestamp) -> Condition {
    Condition::exists()
        // Spaces store an absent lock as null.
        .and("(attribute_not_exists(#lock) OR #lock = :none OR #lock.#expires_at <= :now)")
        .and("attribute_not_exists(#deleted_at)")
        .name("lock", "delete_lock")
        .name("expires_at", "expires_at")
        .name("deleted_at", "deleted_at")
        .value("none", AttributeValue::Null(true))
        .value("now", number(now.ms()))
}
