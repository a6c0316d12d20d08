//! What is left of a deleted space, removed page by page.
//!
//! What is found by other keys goes before the member that names it, so wherever this ends, all that is left is still
//! found from the partition.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{ApiKey, File, Folder, SpaceId, UploadConfig};

use crate::{
    Error, Key, Table,
    key::{API_KEYS, FILES, FOLDERS, MEMBERS, PARTITION, SPACE, UPLOAD_CONFIGS, space_partition},
    members::Membership,
    read::{Item, record},
};

/// Members of a page.
const PAGE: i32 = 100;

impl Table {
    /// Removes one page of what belongs to a space, all but its own record; `false` where there was nothing.
    pub async fn purge_page(&self, space: SpaceId) -> Result<bool, Error> {
        let answer = self
            .client
            .query()
            .table_name(&self.name)
            .consistent_read(true)
            .key_condition_expression("#partition = :partition")
            .expression_attribute_names("#partition", PARTITION)
            .expression_attribute_values(":partition", AttributeValue::S(space_partition(space)))
            .limit(PAGE)
            .send()
            .await
            .map_err(Error::from_sdk)?;
        let (mut members, mut satellites) = (Vec::new(), Vec::new());
        for item in answer.items.unwrap_or_default() {
            let key = Key::read(&item).ok_or_else(|| Error::busy("an item came without its key"))?;
            if key.sort != SPACE {
                satellites.extend(satellites_of(&key.sort, item)?);
                members.push(key);
            }
        }
        self.delete_all(&satellites).await?;
        self.delete_all(&members).await?;
        Ok(!members.is_empty())
    }

    /// Removes the record of a deleted space, the last that is left of it; safe to repeat.
    pub async fn purge_space(&self, space: SpaceId) -> Result<(), Error> {
        self.delete_all(&[Key::space(space)]).await
    }
}

/// The keys under which a member of a space is found elsewhere.
fn satellites_of(sort: &str, item: Item) -> Result<Vec<Key>, Error> {
    if sort.starts_with(FILES) {
        let file: File = record(item)?;
        Ok(vec![Key::path(&file.storage_path), Key::file_owner(file.id)])
    } else if sort.starts_with(FOLDERS) {
        let folder: Folder = record(item)?;
        Ok(vec![Key::folder_owner(folder.id)])
    } else if sort.starts_with(UPLOAD_CONFIGS) {
        let config: UploadConfig = record(item)?;
        Ok(vec![Key::upload_config_owner(config.id)])
    } else if sort.starts_with(API_KEYS) {
        let key: ApiKey = record(item)?;
        Ok(vec![Key::api_key(&key.hash)])
    } else if sort.starts_with(MEMBERS) {
        let membership: Membership = record(item)?;
        Ok(vec![Key::membership(membership.user_id, membership.space_id)])
    } else {
        Ok(Vec::new())
    }
}
