//! The rows of multipart uploads and their parts.
//!
//! Invariant: a part belongs to an existing upload. Both are removed in one transaction, and the
//! file of the part after it.

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use s3s::S3Result;

use super::{
    blob::BlobId,
    error::no_such_upload,
    object_headers::ObjectHeaders,
    object_rows::{Expired, KeyRange, ObjectLocation, json, json_of},
};

/// The ID of a multipart upload. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UploadId(i64);

impl UploadId {
    /// Parses the ID in a request. An invalid ID is that of an upload that does not exist.
    pub(super) fn parse(text: &str) -> S3Result<UploadId> {
        i64::from_str_radix(text, 16)
            .map(UploadId)
            .map_err(|_| no_such_upload())
    }

    /// Returns the ID as clients get it.
    pub(super) fn text(self) -> String {
        format!("{:032x}", self.0)
    }
}

/// A multipart upload to create.
pub(super) struct NewMultipartUpload {
    pub(super) location: ObjectLocation,
    pub(super) headers: ObjectHeaders,
    pub(super) now_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredPart {
    pub(super) number: i32,
    pub(super) size_bytes: u64,
    /// MD5 of the bytes, in hexadecimal.
    pub(super) etag: String,
    pub(super) blob: BlobId,
}

impl StoredPart {
    fn read(row: &Row<'_>) -> rusqlite::Result<StoredPart> {
        Ok(StoredPart {
            number: row.get("number")?,
            size_bytes: row.get("size_bytes")?,
            etag: row.get("etag")?,
            blob: row.get("blob")?,
        })
    }
}

pub(super) fn create(
    database: &Connection,
    upload: &NewMultipartUpload,
) -> rusqlite::Result<UploadId> {
    let mut insert = database.prepare_cached(
        "INSERT INTO uploads (bucket, key, initiated_ms, headers)
         VALUES (:bucket, :key, :now_ms, :headers)",
    )?;
    let id = insert.insert(named_params! {
        ":bucket": upload.location.bucket,
        ":key": upload.location.key.as_bytes(),
        ":now_ms": upload.now_ms,
        ":headers": json(&upload.headers)?,
    })?;

    Ok(UploadId(id))
}

/// Returns the headers of an upload if it exists and is for this location.
pub(super) fn upload(
    database: &Connection,
    id: UploadId,
    location: &ObjectLocation,
) -> rusqlite::Result<Option<ObjectHeaders>> {
    let mut select = database.prepare_cached(
        "SELECT headers FROM uploads WHERE id = :id AND bucket = :bucket AND key = :key",
    )?;
    let parameters =
        named_params! { ":id": id.0, ":bucket": location.bucket, ":key": location.key.as_bytes() };
    select
        .query_row(parameters, |row| json_of(row, "headers"))
        .optional()
}

/// Removes an upload with its parts. Returns the files of the parts.
pub(super) fn remove(database: &Connection, id: UploadId) -> rusqlite::Result<Vec<BlobId>> {
    database
        .prepare_cached("DELETE FROM uploads WHERE id = :id")?
        .execute(named_params! { ":id": id.0 })?;
    database
        .prepare_cached("DELETE FROM parts WHERE upload = :id RETURNING blob")?
        .query_map(named_params! { ":id": id.0 }, |row| row.get(0))?
        .collect()
}

/// Returns the parts of an upload.
pub(super) fn parts(database: &Connection, id: UploadId) -> rusqlite::Result<Vec<StoredPart>> {
    database
        .prepare_cached("SELECT number, size_bytes, etag, blob FROM parts WHERE upload = :id")?
        .query_map(named_params! { ":id": id.0 }, StoredPart::read)?
        .collect()
}

/// Stores a part. Returns the file of the part that it replaces.
pub(super) fn put_part(
    database: &Connection,
    id: UploadId,
    part: &StoredPart,
) -> rusqlite::Result<Option<BlobId>> {
    let mut select = database
        .prepare_cached("SELECT blob FROM parts WHERE upload = :id AND number = :number")?;
    let key = named_params! { ":id": id.0, ":number": part.number };
    let replaced = select.query_row(key, |row| row.get(0)).optional()?;

    let mut replace = database.prepare_cached(
        "REPLACE INTO parts (upload, number, size_bytes, etag, blob)
         VALUES (:id, :number, :size_bytes, :etag, :blob)",
    )?;
    replace.execute(named_params! {
        ":id": id.0,
        ":number": part.number,
        ":size_bytes": part.size_bytes,
        ":etag": part.etag,
        ":blob": part.blob,
    })?;
    Ok(replaced)
}

/// Removes expired uploads. Returns the files of their parts.
pub(super) fn expire(
    database: &Connection,
    expired: &Expired<'_>,
) -> rusqlite::Result<Vec<BlobId>> {
    let range = KeyRange::of_prefix(expired.prefix);
    let mut select = database.prepare_cached(
        "SELECT id FROM uploads WHERE bucket = :bucket AND key >= :from AND key < :end AND initiated_ms < :before_ms",
    )?;
    let parameters = named_params! {
        ":bucket": expired.bucket, ":from": range.from, ":end": range.end, ":before_ms": expired.before_ms
    };
    let ids: Vec<UploadId> = select
        .query_map(parameters, |row| row.get(0).map(UploadId))?
        .collect::<rusqlite::Result<_>>()?;

    let mut blobs = Vec::new();
    for id in ids {
        blobs.extend(remove(database, id)?);
    }

    Ok(blobs)
}
