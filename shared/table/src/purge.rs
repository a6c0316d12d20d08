//! Removes the records of a deleted space, page by page.
//!
//! Items of other partitions that a record names go before the record itself, so wherever this
//! ends, all that is left is still found from the space's partition.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{ApiKey, File, FileId, Folder, Revision, SpaceId, UploadConfig};
use tracing::instrument;

use crate::{
    Key, Table, TableError,
    key::{API_KEYS, FILES, FOLDERS, MEMBERS, PARTITION, SPACE, UPLOAD_CONFIGS, space_partition},
    members::Membership,
    read::{Item, record},
};

/// A page of the records of a deleted space, but for the space's own.
#[derive(Debug, Default)]
pub struct PurgePage {
    /// Files of the page, with the revision of their bytes, if they have any.
    pub files: Vec<(FileId, Option<Revision>)>,
    /// Items of other partitions that the records name. A key may occur twice: two files may have
    /// one storage path.
    satellites: Vec<Key>,
    records: Vec<Key>,
}

impl PurgePage {
    /// Whether the space has no record left.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    fn add(&mut self, item: Item) -> Result<(), TableError> {
        let key =
            Key::read(&item).ok_or_else(|| TableError::busy("an item came without its key"))?;
        if key.sort == SPACE {
            return Ok(());
        }
        if key.sort.starts_with(FILES) {
            let file: File = record(item)?;
            self.files.push((file.id, file.revision));
            self.satellites
                .extend([Key::path(&file.storage_path), Key::file_owner(file.id)]);
        } else {
            self.satellites.extend(satellite_of(&key.sort, item)?);
        }
        self.records.push(key);
        Ok(())
    }
}

impl Table {
    /// Returns a page of up to `limit` records of a deleted space.
    #[instrument(skip_all)]
    pub async fn purge_page(&self, space: SpaceId, limit: u16) -> Result<PurgePage, TableError> {
        // One more for the space's own record, which stays until the end.
        let query = self
            .client
            .query()
            .table_name(&self.name)
            .consistent_read(true)
            .key_condition_expression("#partition = :partition")
            .expression_attribute_names("#partition", PARTITION)
            .expression_attribute_values(":partition", AttributeValue::S(space_partition(space)))
            .limit(i32::from(limit).saturating_add(1));
        let answer = self.call(|| query.clone().send()).await?;

        let mut page = PurgePage::default();
        for item in answer.items.unwrap_or_default() {
            if page.records.len() < usize::from(limit) {
                page.add(item)?;
            }
        }
        Ok(page)
    }

    /// Removes the records of a page and the items they name; safe to repeat.
    #[instrument(skip_all)]
    pub async fn delete_purge_page(&self, page: &PurgePage) -> Result<(), TableError> {
        self.delete_all(&page.satellites).await?;
        self.delete_all(&page.records).await
    }

    /// Removes the record of a deleted space, the last that is left of it; safe to repeat.
    #[instrument(skip_all)]
    pub async fn purge_space(&self, space: SpaceId) -> Result<(), TableError> {
        self.delete_all(&[Key::space(space)]).await
    }
}

/// Returns the key under which a record other than a file is found from elsewhere.
fn satellite_of(sort: &str, item: Item) -> Result<Option<Key>, TableError> {
    Ok(if sort.starts_with(FOLDERS) {
        let folder: Folder = record(item)?;
        Some(Key::folder_owner(folder.id))
    } else if sort.starts_with(UPLOAD_CONFIGS) {
        let config: UploadConfig = record(item)?;
        Some(Key::upload_config_owner(config.id))
    } else if sort.starts_with(API_KEYS) {
        let key: ApiKey = record(item)?;
        Some(Key::api_key(&key.hash))
    } else if sort.starts_with(MEMBERS) {
        let membership: Membership = record(item)?;
        Some(Key::membership(membership.user_id, membership.space_id))
    } else {
        None
    })
}
