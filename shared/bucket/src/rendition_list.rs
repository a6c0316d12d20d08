//! Lists of a space's renditions, in the order of their keys, and of the images of its watermarks.

use std::collections::BTreeSet;

use aws_sdk_s3::{operation::list_objects_v2::ListObjectsV2Output, types::Object};
use domain::{
    env::Timestamp,
    id::{Revision, SpaceId},
    renditions::{RenditionId, Retention},
};
use tracing::instrument;

use crate::{
    Bucket, BucketError, ListedObject, ObjectKey,
    key::{renditions_prefix, watermarks_prefix},
    list::first_nonempty_page,
};

/// A rendition in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRendition {
    pub object: ListedObject,
    /// Id of the rendition; `None` if another version of the rendering stored it.
    pub id: Option<RenditionId>,
    /// Position in the list of the space.
    pub position: String,
}

/// A page of a space's renditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenditionsPage {
    pub renditions: Vec<ListedRendition>,
    pub has_more: bool,
}

impl Bucket {
    /// Returns up to `limit` of a space's renditions of a retention after a position, which is
    /// empty at the beginning.
    #[instrument(skip_all, fields(%space))]
    pub async fn renditions_page(
        &self,
        space: SpaceId,
        retention: Retention,
        after: &str,
        limit: u16,
    ) -> Result<RenditionsPage, BucketError> {
        let prefix = renditions_prefix(space, retention);
        let list = self
            .list()
            .prefix(&prefix)
            .start_after(format!("{prefix}{after}"))
            .max_keys(limit.into());

        let listed = |page: ListObjectsV2Output| {
            let objects = page.contents.unwrap_or_default().into_iter();
            objects
                .filter_map(|object| listed_rendition(object, &prefix))
                .collect()
        };
        let page = first_nonempty_page(list, listed).await?;
        Ok(RenditionsPage {
            renditions: page.entries,
            has_more: page.has_more,
        })
    }

    /// Returns the revisions of all stored images of a space's watermarks.
    #[instrument(skip_all, fields(%space))]
    pub async fn watermarks(&self, space: SpaceId) -> Result<BTreeSet<Revision>, BucketError> {
        let prefix = watermarks_prefix(space);
        let mut revisions = BTreeSet::new();
        let mut next = None;
        loop {
            let list = self.list().prefix(&prefix).set_continuation_token(next);
            let page = list.send().await.map_err(BucketError::from_sdk)?;
            let keys = page.contents.unwrap_or_default().into_iter();
            let keys = keys.filter_map(|object| object.key);
            let revision_of = |key: String| key.strip_prefix(&prefix)?.parse::<Revision>().ok();
            revisions.extend(keys.filter_map(revision_of));

            next = page.next_continuation_token;
            if next.is_none() {
                return Ok(revisions);
            }
        }
    }
}

fn listed_rendition(object: Object, prefix: &str) -> Option<ListedRendition> {
    let key = object.key?;
    let position = key.strip_prefix(prefix)?.to_owned();
    let mut parts = position.splitn(3, '/');
    let file_id = parts.next()?.parse().ok()?;
    let revision = parts.next()?.parse().ok()?;
    let id = RenditionId::parse(parts.next()?);
    let stored_at = Timestamp::from_ms(object.last_modified?.to_millis().ok()?);

    let object = ListedObject {
        key: ObjectKey(key),
        file_id,
        revision,
        stored_at,
    };
    Some(ListedRendition {
        object,
        id,
        position,
    })
}
