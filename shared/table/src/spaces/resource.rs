//! Reads of the records of a space that requests name by id: files, folders and upload configs.
//! A lookup item maps the id to the space.

use domain::{
    files::File,
    folders::Folder,
    id::{FileId, FolderId, SpaceId, UploadConfigId, UserId},
    spaces::Space,
    uploads::UploadConfig,
};
use serde::{Deserialize, de::DeserializeOwned};
use tracing::instrument;

use crate::{
    connection::SpaceRecords,
    errors::TableError,
    key::Key,
    spaces::{Membership, WithSpace, record::existing},
};

/// A record of a space that requests name by id.
pub trait SpaceResource: DeserializeOwned {
    type Id: Copy + Send;

    /// The key of the record.
    const KEY: fn(SpaceId, Self::Id) -> Key;
    /// The key of the lookup item.
    const LOOKUP_KEY: fn(Self::Id) -> Key;
}

impl SpaceResource for File {
    type Id = FileId;

    const KEY: fn(SpaceId, FileId) -> Key = Key::file;
    const LOOKUP_KEY: fn(FileId) -> Key = Key::file_lookup;
}

impl SpaceResource for Folder {
    type Id = FolderId;

    const KEY: fn(SpaceId, FolderId) -> Key = Key::folder;
    const LOOKUP_KEY: fn(FolderId) -> Key = Key::folder_lookup;
}

impl SpaceResource for UploadConfig {
    type Id = UploadConfigId;

    const KEY: fn(SpaceId, UploadConfigId) -> Key = Key::upload_config;
    const LOOKUP_KEY: fn(UploadConfigId) -> Key = Key::upload_config_lookup;
}

/// A record of a space, with the membership of the user who reads it.
#[derive(Clone, Debug)]
pub struct RecordForMember<T> {
    pub space: Space,
    pub record: T,
    /// The membership of the user in the space.
    pub membership: Membership,
}

/// The part of a lookup item that all resources have. `space_id` is null for the id of a file that
/// is blocked after an abandoned write; an item without it is invalid.
#[derive(Deserialize)]
struct Lookup {
    #[serde(deserialize_with = "Option::deserialize")]
    space_id: Option<SpaceId>,
}

impl SpaceRecords<'_> {
    /// Returns the id of a resource's space.
    #[instrument(name = "space_of", skip_all)]
    pub async fn of<R: SpaceResource>(self, id: R::Id) -> Result<Option<SpaceId>, TableError> {
        let lookup: Option<Lookup> = self.table.get((R::LOOKUP_KEY)(id)).await?;
        Ok(lookup.and_then(|lookup| lookup.space_id))
    }

    /// Returns a space and one of its resources.
    #[instrument(name = "space_with", skip_all)]
    pub async fn with_resource<R: SpaceResource>(
        self,
        space: SpaceId,
        id: R::Id,
    ) -> Result<WithSpace<R>, TableError> {
        self.with_record(space, (R::KEY)(space, id)).await
    }

    /// Returns a resource with its space and a user's membership; `None` if any of them does not
    /// exist.
    #[instrument(skip_all)]
    pub async fn resource_for_member<R: SpaceResource>(
        self,
        space: SpaceId,
        id: R::Id,
        user: UserId,
    ) -> Result<Option<RecordForMember<R>>, TableError> {
        let space_key = Key::space(space);
        let resource_key = (R::KEY)(space, id);
        let membership_key = Key::membership(user, space);

        let keys = [
            space_key.clone(),
            resource_key.clone(),
            membership_key.clone(),
        ];
        let mut found = self.table.batch_get(keys).await?;

        let space = existing(found.take(&space_key)?);
        let resource = found.take(&resource_key)?;
        let membership = found.take(&membership_key)?;
        let (Some(space), Some(record), Some(membership)) = (space, resource, membership) else {
            return Ok(None);
        };
        Ok(Some(RecordForMember {
            space,
            record,
            membership,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use aws_sdk_dynamodb::types::AttributeValue;

    use super::*;
    use crate::read::record;

    #[test]
    fn lookup_without_a_space_is_invalid_unless_it_is_null() {
        let null = ("space_id".to_owned(), AttributeValue::Null(true));
        let blocked: Lookup = record(HashMap::from([null])).expect("a lookup");
        assert_eq!(blocked.space_id, None);

        let incomplete: Result<Lookup, TableError> = record(HashMap::new());
        assert!(matches!(incomplete, Err(TableError::Unreadable(_))));
    }
}
