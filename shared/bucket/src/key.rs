//! Keys of objects.
//!
//! | object | key |
//! | --- | --- |
//! | original of a file | `_objects/{space id}/originals/{file id}/{revision}` |
//! | rendition of a file's image | `_objects/{space id}/renditions/{file id}/{revision}/{rendition id}` |
//! | the same, created by a request without credentials | `_objects/expiring/{space id}/renditions/{file id}/{revision}/{rendition id}` |
//! | image of a watermark | `_objects/{space id}/watermarks/{revision}` |
//! | bytes sent to a presigned URL, until they are confirmed | `staging/{space id}/{file id}` |
//!
//! Invariants:
//! - All keys of a space start with one of three prefixes, so that all its objects can be found and
//!   deleted.
//! - The keys of all objects that a lifecycle rule of the bucket deletes start with
//!   `_objects/expiring/` or `staging/`: a rule applies to a constant prefix.
//! - The keys of all objects that the CDN may read start with `_objects/`, those of staged ones do
//!   not. This is the path pattern of the CDN's cache behavior for objects, so that a path is a key
//!   without a rewrite, and the CDN's permission ends there.
//! - Keys contain only characters that a URL need not encode.

use domain::{
    id::{FileId, Revision, SpaceId},
    renditions::{RenditionLocation, Retention},
};

/// Prefix of the keys of all delivered objects.
pub(crate) const DELIVERED: &str = "_objects/";
/// Prefix of the keys of all delivered objects that a lifecycle rule deletes.
const EXPIRING: &str = "_objects/expiring/";

/// The key of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectKey(pub(crate) String);

impl ObjectKey {
    /// Returns the key of a file's original.
    pub fn original(space: SpaceId, file: FileId, revision: Revision) -> ObjectKey {
        let prefix = file_prefix(space, file);
        ObjectKey(format!("{prefix}{revision}"))
    }

    /// Returns the key of a rendition of a file's image.
    pub fn rendition(
        space: SpaceId,
        file: FileId,
        revision: Revision,
        rendition: &RenditionLocation,
    ) -> ObjectKey {
        let prefix = file_renditions_prefix(space, file, rendition.retention);
        ObjectKey(format!("{prefix}{revision}/{}", rendition.id.as_str()))
    }

    /// Returns the key of the stored image of a watermark.
    pub fn watermark(space: SpaceId, revision: Revision) -> ObjectKey {
        let prefix = watermarks_prefix(space);
        ObjectKey(format!("{prefix}{revision}"))
    }

    /// Returns the key that a client sends a file's bytes to.
    pub fn staged(space: SpaceId, file: FileId) -> ObjectKey {
        let prefix = staging_prefix(space);
        ObjectKey(format!("{prefix}{file}"))
    }

    /// Returns the key as S3 stores it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns the key prefix of a file's originals.
pub(crate) fn file_prefix(space: SpaceId, file: FileId) -> String {
    format!("{}{file}/", originals_prefix(space))
}

/// Returns the key prefix of a space's originals.
pub(crate) fn originals_prefix(space: SpaceId) -> String {
    format!("{}originals/", space_prefix(space))
}

/// Returns the key prefix of the renditions of a file.
pub(crate) fn file_renditions_prefix(space: SpaceId, file: FileId, retention: Retention) -> String {
    format!("{}{file}/", renditions_prefix(space, retention))
}

/// Returns the key prefix of a space's renditions.
pub(crate) fn renditions_prefix(space: SpaceId, retention: Retention) -> String {
    let prefix = match retention {
        Retention::Permanent => space_prefix(space),
        Retention::Expiring => expiring_prefix(space),
    };
    format!("{prefix}renditions/")
}

/// Returns the key prefix of the images of a space's watermarks.
pub(crate) fn watermarks_prefix(space: SpaceId) -> String {
    format!("{}watermarks/", space_prefix(space))
}

/// Returns the key prefix of a space's delivered objects that a lifecycle rule deletes.
pub(crate) fn expiring_prefix(space: SpaceId) -> String {
    format!("{EXPIRING}{space}/")
}

/// Returns the key prefix of a space's objects, except for staged and expiring ones.
pub(crate) fn space_prefix(space: SpaceId) -> String {
    format!("{DELIVERED}{space}/")
}

/// Returns the key prefix of a space's staged objects.
pub(crate) fn staging_prefix(space: SpaceId) -> String {
    format!("staging/{space}/")
}
