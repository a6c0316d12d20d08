//! Which spaces have objects, and which originals a space has: in the order of ids, so from the
//! oldest to the newest.

use aws_sdk_s3::operation::list_objects_v2::{
    ListObjectsV2Output, builders::ListObjectsV2FluentBuilder,
};
use domain::{FileId, Revision, SpaceId, Timestamp};
use tracing::instrument;

use crate::{Bucket, BucketError, ObjectKey};

/// What stands between the parts of a key.
const DELIMITER: &str = "/";
/// The character that follows the delimiter, and so what is behind all keys that begin with a part
/// and the delimiter.
const BEHIND_DELIMITER: &str = "0";

/// Most objects that one listing returns.
pub const LIST_MAX: u16 = 1_000;

/// An original as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOriginal {
    /// Where it is.
    pub key: ObjectKey,
    /// The file it was stored for.
    pub file_id: FileId,
    /// What tells it from every other that was stored for the file.
    pub revision: Revision,
    /// When it was stored, by storage's clock, in whole seconds.
    pub stored_at: Timestamp,
}

/// Some of a space's originals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalsPage {
    /// The originals.
    pub originals: Vec<ListedOriginal>,
    /// Whether there are more behind the last of them.
    pub more: bool,
}

impl Bucket {
    /// Some of the spaces that have objects, behind one where one is named; none where there are no
    /// more.
    #[instrument(skip_all)]
    pub async fn spaces_page(&self, after: Option<SpaceId>) -> Result<Vec<SpaceId>, BucketError> {
        let start = after.map(|space| format!("{space}{BEHIND_DELIMITER}"));
        let list = self.list().delimiter(DELIMITER).set_start_after(start);
        let spaces = |page: ListObjectsV2Output| -> Vec<SpaceId> {
            let prefixes = page
                .common_prefixes
                .unwrap_or_default()
                .into_iter()
                .filter_map(|common| common.prefix);
            prefixes
                .filter_map(|prefix| prefix.strip_suffix(DELIMITER)?.parse().ok())
                .collect()
        };
        Ok(first_page(list, spaces).await?.0)
    }

    /// Returns up to `limit` of a space's originals, from those of a file on; after one of its
    /// revisions, if one is given.
    #[instrument(skip_all, fields(%space))]
    pub async fn originals_page(
        &self,
        space: SpaceId,
        from: FileId,
        after: Option<Revision>,
        limit: u16,
    ) -> Result<OriginalsPage, BucketError> {
        let prefix = ObjectKey::originals(space);
        let start = match after {
            Some(revision) => ObjectKey::original(space, from, revision).0,
            None => format!("{prefix}{from}"),
        };
        let originals = |page: ListObjectsV2Output| -> Vec<ListedOriginal> {
            let objects = page.contents.unwrap_or_default().into_iter();
            let listed = |object: aws_sdk_s3::types::Object| {
                let key = object.key?;
                let (file_id, revision) = key.strip_prefix(&prefix)?.split_once(DELIMITER)?;
                let (file_id, revision) = (file_id.parse().ok()?, revision.parse().ok()?);
                let stored_at = Timestamp::from_ms(object.last_modified?.to_millis().ok()?);
                Some(ListedOriginal {
                    key: ObjectKey(key),
                    file_id,
                    revision,
                    stored_at,
                })
            };
            objects.filter_map(listed).collect()
        };
        let list = self
            .list()
            .prefix(&prefix)
            .start_after(start)
            .max_keys(limit.into());
        let (originals, more) = first_page(list, originals).await?;
        Ok(OriginalsPage { originals, more })
    }

    fn list(&self) -> ListObjectsV2FluentBuilder {
        self.client.list_objects_v2().bucket(&self.name)
    }
}

/// The first page on which something is, and whether there are more behind it. What is not ours is
/// passed over.
async fn first_page<T>(
    list: ListObjectsV2FluentBuilder,
    read: impl Fn(ListObjectsV2Output) -> Vec<T>,
) -> Result<(Vec<T>, bool), BucketError> {
    let mut next = None;
    loop {
        let mut page = list
            .clone()
            .set_continuation_token(next)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        next = page.next_continuation_token.take();
        let found = read(page);
        if !found.is_empty() || next.is_none() {
            return Ok((found, next.is_some()));
        }
    }
}
