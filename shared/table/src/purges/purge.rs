//! Deletes the records of a deleted space, page by page.
//!
//! Invariant: items in other partitions are deleted before the record that names them. Wherever a
//! purge stops, everything that is left can still be found from the space's partition.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    files::File,
    folders::Folder,
    id::{FileId, Revision, SpaceId},
    keys::ApiKey,
    uploads::UploadConfig,
};
use tracing::instrument;

use crate::{
    connection::Purges,
    errors::TableError,
    key::Key,
    key::{
        API_KEYS, FILES, FOLDERS, MEMBERS, PARTITION, REPLACEMENTS, SPACE, UPLOAD_CONFIGS,
        space_partition,
    },
    read::{Item, key_of, record},
    spaces::members::Membership,
};

/// A file of a deleted space.
#[derive(Clone, Copy, Debug)]
pub struct PurgedFile {
    /// Id of the file.
    pub id: FileId,
    /// Revision of its bytes; `None` if none were stored.
    pub revision: Option<Revision>,
}

/// A page of the records of a deleted space, without the space's own record.
#[derive(Debug, Default)]
pub struct PurgePage {
    /// The files of the page.
    pub files: Vec<PurgedFile>,
    /// Items in other partitions that the records name. Keys may repeat: two files may have the
    /// same storage path.
    related: Vec<Key>,
    records: Vec<Key>,
}

impl PurgePage {
    /// Returns whether the space has no records left.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    fn add(&mut self, item: Item) -> Result<(), TableError> {
        let key = key_of(&item)?;
        if key.sort == SPACE {
            return Ok(());
        }

        if key.sort.starts_with(FILES) {
            let file: File = record(item)?;
            self.files.push(PurgedFile {
                id: file.id,
                revision: file.revision,
            });
            self.related
                .extend([Key::path(&file.storage_path), Key::file_lookup(file.id)]);
            let trash = file.trash.map(|trash| trash.purge_at);
            self.related
                .extend(trash.map(|purge_at| Key::trash(file.space_id, file.id, purge_at)));
        } else {
            self.related.extend(related_key(&key.sort, item)?);
        }
        self.records.push(key);
        Ok(())
    }
}

impl Purges<'_> {
    /// Returns a page of up to `limit` records of a deleted space.
    #[instrument(name = "purge_page", skip_all)]
    pub async fn page(self, space: SpaceId, limit: u16) -> Result<PurgePage, TableError> {
        let query = self
            .table
            .client
            .query()
            .table_name(&self.table.name)
            .consistent_read(true)
            .key_condition_expression("#partition = :partition")
            .expression_attribute_names("#partition", PARTITION)
            .expression_attribute_values(":partition", AttributeValue::S(space_partition(space)))
            // One more for the space's own record, which is deleted last.
            .limit(i32::from(limit).saturating_add(1));
        let response = self.table.call(|| query.clone().send()).await?;

        let mut page = PurgePage::default();
        for item in response.items.unwrap_or_default() {
            if page.records.len() < usize::from(limit) {
                page.add(item)?;
            }
        }
        Ok(page)
    }

    /// Deletes the records of a page and the items that they name. Idempotent.
    #[instrument(name = "delete_purge_page", skip_all)]
    pub async fn delete_page(self, page: &PurgePage) -> Result<(), TableError> {
        self.table.delete_all(&page.related).await?;
        self.table.delete_all(&page.records).await
    }

    /// Deletes the record of a deleted space, which has no other records left. Idempotent.
    #[instrument(name = "purge_space", skip_all)]
    pub async fn delete_space(self, space: SpaceId) -> Result<(), TableError> {
        self.table.delete_all(&[Key::space(space)]).await
    }
}

/// Returns the key of the item in another partition that a record other than a file names.
fn related_key(sort: &str, item: Item) -> Result<Option<Key>, TableError> {
    Ok(if sort.starts_with(FOLDERS) {
        let folder: Folder = record(item)?;
        Some(Key::folder_lookup(folder.id))
    } else if sort.starts_with(REPLACEMENTS) {
        let upload: File = record(item)?;
        Some(Key::file_lookup(upload.id))
    } else if sort.starts_with(UPLOAD_CONFIGS) {
        let config: UploadConfig = record(item)?;
        Some(Key::upload_config_lookup(config.id))
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
