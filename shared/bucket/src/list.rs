//! Lists of the spaces that have objects, and of a space's originals, in the order of ids: oldest
//! first.

use aws_sdk_s3::{
    operation::list_objects_v2::{ListObjectsV2Output, builders::ListObjectsV2FluentBuilder},
    types::Object,
};
use domain::{
    env::Timestamp,
    id::{FileId, Revision, SpaceId},
};
use tracing::instrument;

use crate::{
    Bucket, BucketError, ObjectKey,
    key::{DELIVERED, file_prefix, originals_prefix},
};

/// Separates the parts of a key.
const DELIMITER: &str = "/";
/// The character after the delimiter: sorts after all keys that start with a part and the
/// delimiter.
const AFTER_DELIMITER: &str = "0";

/// Maximum objects of one list call.
pub const MAX_LISTED_OBJECTS: u16 = 1_000;

/// An original or a rendition in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedObject {
    /// Key of the object.
    pub key: ObjectKey,
    pub file_id: FileId,
    /// The revision of the file's bytes.
    pub revision: Revision,
    /// Time at which S3 stored the object, in whole seconds.
    pub stored_at: Timestamp,
}

/// A page of a space's originals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalsPage {
    pub originals: Vec<ListedObject>,
    pub has_more: bool,
}

/// Where a list of a space's originals starts.
#[derive(Clone, Copy, Debug)]
pub struct OriginalsPosition {
    /// The first file.
    pub file: FileId,
    /// The revision of this file to start after; `None` to include all of them.
    pub after: Option<Revision>,
}

/// The entries of a page, and whether more follow.
pub(crate) struct Entries<T> {
    pub(crate) entries: Vec<T>,
    pub(crate) has_more: bool,
}

impl Bucket {
    /// Returns a page of the spaces that have objects other than staged and expiring ones, after a
    /// space if one is specified. Empty at the end of the list.
    #[instrument(skip_all)]
    pub async fn spaces_page(&self, after: Option<SpaceId>) -> Result<Vec<SpaceId>, BucketError> {
        let start = after.map(|space| format!("{DELIVERED}{space}{AFTER_DELIMITER}"));
        let list = self
            .list()
            .prefix(DELIVERED)
            .delimiter(DELIMITER)
            .set_start_after(start);
        let page = first_nonempty_page(list, listed_spaces).await?;
        Ok(page.entries)
    }

    /// Returns up to `limit` of a space's originals from a position.
    #[instrument(skip_all, fields(%space))]
    pub async fn originals_page(
        &self,
        space: SpaceId,
        start: OriginalsPosition,
        limit: u16,
    ) -> Result<OriginalsPage, BucketError> {
        let prefix = originals_prefix(space);
        let start_after = match start.after {
            Some(revision) => ObjectKey::original(space, start.file, revision).0,
            // Sorts before all revisions of the file.
            None => file_prefix(space, start.file),
        };
        let list = self
            .list()
            .prefix(&prefix)
            .start_after(start_after)
            .max_keys(limit.into());

        let listed = |page: ListObjectsV2Output| {
            let objects = page.contents.unwrap_or_default().into_iter();
            objects
                .filter_map(|object| listed_original(object, &prefix))
                .collect()
        };
        let page = first_nonempty_page(list, listed).await?;
        Ok(OriginalsPage {
            originals: page.entries,
            has_more: page.has_more,
        })
    }

    pub(crate) fn list(&self) -> ListObjectsV2FluentBuilder {
        self.client.list_objects_v2().bucket(&self.name)
    }
}

fn listed_spaces(page: ListObjectsV2Output) -> Vec<SpaceId> {
    page.common_prefixes
        .unwrap_or_default()
        .into_iter()
        .filter_map(|common| common.prefix)
        .filter_map(|prefix| {
            let space = prefix.strip_prefix(DELIVERED)?.strip_suffix(DELIMITER)?;
            space.parse().ok()
        })
        .collect()
}

fn listed_original(object: Object, prefix: &str) -> Option<ListedObject> {
    let key = object.key?;
    let (file_id, revision) = key.strip_prefix(prefix)?.split_once(DELIMITER)?;
    let file_id = file_id.parse().ok()?;
    let revision = revision.parse().ok()?;
    let stored_at = Timestamp::from_ms(object.last_modified?.to_millis().ok()?);
    Some(ListedObject {
        key: ObjectKey(key),
        file_id,
        revision,
        stored_at,
    })
}

/// Returns the first page that has entries. `read` skips objects with unknown keys.
pub(crate) async fn first_nonempty_page<T>(
    list: ListObjectsV2FluentBuilder,
    read: impl Fn(ListObjectsV2Output) -> Vec<T>,
) -> Result<Entries<T>, BucketError> {
    let mut next = None;
    loop {
        let mut page = list
            .clone()
            .set_continuation_token(next)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        next = page.next_continuation_token.take();

        let entries = read(page);
        if !entries.is_empty() || next.is_none() {
            return Ok(Entries {
                entries,
                has_more: next.is_some(),
            });
        }
    }
}
