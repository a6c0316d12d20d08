//! The database schema, and the rows of objects.
//!
//! Invariant: the blob of a row exists and contains its bytes. No two rows name the same blob.

use std::time::{Duration, UNIX_EPOCH};

use rusqlite::{
    Connection, OptionalExtension, Row, ToSql, named_params,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Type, Value, ValueRef},
};
use s3s::dto::{ETag, Timestamp};
use serde::{Serialize, de::DeserializeOwned};

use super::{blob::BlobId, object_headers::ObjectHeaders};

/// Keys are blobs, because S3 orders keys by their bytes. The bounds of a listing may be invalid
/// UTF-8.
pub(super) const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS objects (
        bucket TEXT NOT NULL, key BLOB NOT NULL, size_bytes INTEGER NOT NULL, etag TEXT NOT NULL,
        md5 TEXT NOT NULL, modified_ms INTEGER NOT NULL, headers TEXT NOT NULL, sha256 TEXT,
        blob INTEGER NOT NULL, PRIMARY KEY (bucket, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS uploads (
        id INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, key BLOB NOT NULL, initiated_ms INTEGER NOT NULL,
        headers TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS parts (
        upload INTEGER NOT NULL, number INTEGER NOT NULL, size_bytes INTEGER NOT NULL, etag TEXT NOT NULL,
        blob INTEGER NOT NULL, PRIMARY KEY (upload, number)
    ) STRICT, WITHOUT ROWID;
";

/// The bucket and key of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectLocation {
    pub(super) bucket: String,
    pub(super) key: String,
}

#[derive(Clone, Debug)]
pub(super) struct StoredObject {
    pub(super) size_bytes: u64,
    /// Without quotes.
    pub(super) etag: String,
    /// MD5 of all bytes, in hexadecimal. The ETag of an object that was not uploaded in parts.
    pub(super) md5: String,
    pub(super) modified_ms: i64,
    pub(super) headers: ObjectHeaders,
    /// SHA-256 of all bytes in base64, if it was declared or requested.
    pub(super) sha256: Option<String>,
    pub(super) blob: BlobId,
}

impl StoredObject {
    /// Returns the time of the last modification in whole seconds, for responses.
    pub(super) fn last_modified(&self) -> Timestamp {
        timestamp(self.modified_ms)
    }

    /// Returns the ETag for responses.
    pub(super) fn tag(&self) -> ETag {
        ETag::Strong(self.etag.clone())
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<StoredObject> {
        Ok(StoredObject {
            size_bytes: row.get("size_bytes")?,
            etag: row.get("etag")?,
            md5: row.get("md5")?,
            modified_ms: row.get("modified_ms")?,
            headers: json_of(row, "headers")?,
            sha256: row.get("sha256")?,
            blob: row.get("blob")?,
        })
    }
}

/// Converts a time to whole seconds, the precision of S3.
pub(super) fn timestamp(at_ms: i64) -> Timestamp {
    let since_epoch = Duration::from_secs(u64::try_from(at_ms).unwrap_or_default() / 1000);
    Timestamp::from(UNIX_EPOCH + since_epoch)
}

/// A half-open range of keys.
pub(super) struct KeyRange {
    pub(super) from: Vec<u8>,
    /// Exclusive.
    pub(super) end: Vec<u8>,
}

impl KeyRange {
    /// Returns the range of all keys with this prefix.
    pub(super) fn of_prefix(prefix: &str) -> KeyRange {
        KeyRange {
            from: prefix.as_bytes().to_vec(),
            end: end_of_prefix(prefix.as_bytes()),
        }
    }
}

/// Returns the smallest bytes greater than all keys with this prefix. Keys are UTF-8, which never
/// contains the byte 255.
pub(super) fn end_of_prefix(prefix: &[u8]) -> Vec<u8> {
    match prefix.split_last() {
        Some((last, start)) => [start, &[last.saturating_add(1)]].concat(),
        None => vec![u8::MAX],
    }
}

/// What a lifecycle rule removes from a bucket: what has a key with this prefix, and is older than
/// a time.
pub(super) struct Expired<'a> {
    pub(super) bucket: &'a str,
    pub(super) prefix: &'a str,
    pub(super) before_ms: i64,
}

/// Returns the object at a location.
pub(super) fn object(
    database: &Connection,
    location: &ObjectLocation,
) -> rusqlite::Result<Option<StoredObject>> {
    let mut select = database.prepare_cached(
        "SELECT size_bytes, etag, md5, modified_ms, headers, sha256, blob FROM objects
         WHERE bucket = :bucket AND key = :key",
    )?;
    let parameters = named_params! { ":bucket": location.bucket, ":key": location.key.as_bytes() };
    select.query_row(parameters, StoredObject::read).optional()
}

/// Inserts or replaces an object.
pub(super) fn put_object(
    database: &Connection,
    location: &ObjectLocation,
    object: &StoredObject,
) -> rusqlite::Result<()> {
    let mut replace = database.prepare_cached(
        "REPLACE INTO objects (bucket, key, size_bytes, etag, md5, modified_ms, headers, sha256, blob)
         VALUES (:bucket, :key, :size_bytes, :etag, :md5, :modified_ms, :headers, :sha256, :blob)",
    )?;
    replace.execute(named_params! {
        ":bucket": location.bucket,
        ":key": location.key.as_bytes(),
        ":size_bytes": object.size_bytes,
        ":etag": object.etag,
        ":md5": object.md5,
        ":modified_ms": object.modified_ms,
        ":headers": json(&object.headers)?,
        ":sha256": object.sha256,
        ":blob": object.blob,
    })?;

    Ok(())
}

/// Removes the object at a location.
pub(super) fn delete_object(
    database: &Connection,
    location: &ObjectLocation,
) -> rusqlite::Result<()> {
    let mut delete =
        database.prepare_cached("DELETE FROM objects WHERE bucket = :bucket AND key = :key")?;
    delete
        .execute(named_params! { ":bucket": location.bucket, ":key": location.key.as_bytes() })?;
    Ok(())
}

/// Removes expired objects. Returns their blobs.
pub(super) fn expire(
    database: &Connection,
    expired: &Expired<'_>,
) -> rusqlite::Result<Vec<BlobId>> {
    let range = KeyRange::of_prefix(expired.prefix);
    let mut delete = database.prepare_cached(
        "DELETE FROM objects WHERE bucket = :bucket AND key >= :from AND key < :end AND modified_ms < :before_ms
         RETURNING blob",
    )?;
    let parameters = named_params! {
        ":bucket": expired.bucket, ":from": range.from, ":end": range.end, ":before_ms": expired.before_ms
    };

    delete.query_map(parameters, |row| row.get(0))?.collect()
}

/// A blob that a row names.
pub(super) struct BlobReference {
    pub(super) blob: BlobId,
    pub(super) size_bytes: u64,
    /// Bucket and key of the object, or the part.
    pub(super) owner: String,
}

/// Returns every blob that a row names.
pub(super) fn referenced_blobs(database: &Connection) -> rusqlite::Result<Vec<BlobReference>> {
    let mut select = database.prepare(
        "SELECT blob, size_bytes, bucket || '/' || CAST(key AS TEXT) FROM objects
         UNION ALL SELECT blob, size_bytes, 'part ' || number || ' of upload ' || upload FROM parts",
    )?;
    let read = |row: &Row<'_>| {
        Ok(BlobReference {
            blob: row.get(0)?,
            size_bytes: row.get(1)?,
            owner: row.get(2)?,
        })
    };

    select.query_map([], read)?.collect()
}

/// Formats a JSON column.
pub(super) fn json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// Parses a JSON column.
pub(super) fn json_of<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let index = row.as_ref().column_index(column)?;
    let text = row.get_ref(index)?.as_str()?;
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Text, error.into()))
}

/// Parses a column with a key.
pub(super) fn key_of(row: &Row<'_>, column: &str) -> rusqlite::Result<String> {
    let index = row.as_ref().column_index(column)?;
    let bytes: Vec<u8> = row.get(index)?;
    String::from_utf8(bytes)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Blob, error.into()))
}

impl ToSql for BlobId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let id = i64::try_from(self.0)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(ToSqlOutput::Owned(Value::Integer(id)))
    }
}

impl FromSql for BlobId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<BlobId> {
        let id = value.as_i64()?;
        u64::try_from(id)
            .map(BlobId)
            .map_err(|_| FromSqlError::OutOfRange(id))
    }
}
