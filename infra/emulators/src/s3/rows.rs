//! The rows of the database: the schema of all of them, and buckets and objects.
//!
//! Invariant: what a row names as its blob exists and holds the row's bytes; a blob is named by one
//! row at most.

use std::time::{Duration, UNIX_EPOCH};

use rusqlite::{
    Connection, OptionalExtension, Result, Row, ToSql, named_params,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Type, Value, ValueRef},
};
use s3s::dto::{ETag, Timestamp};
use serde::{Serialize, de::DeserializeOwned};

use super::{attributes::Attributes, blobs::BlobId, checksum::Checksum, shared::Address};

/// Format of the database, in its `user_version`.
pub(super) const FORMAT: i64 = 2;

/// Keys are blobs: they compare by their bytes, and so do the bounds of a listing, which need not
/// be UTF-8.
pub(super) const SCHEMA: &str = "
    CREATE TABLE buckets (name TEXT PRIMARY KEY, created_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE objects (
        bucket TEXT NOT NULL, key BLOB NOT NULL, size_bytes INTEGER NOT NULL, etag TEXT NOT NULL,
        md5 TEXT NOT NULL, modified_ms INTEGER NOT NULL, attributes TEXT NOT NULL, checksum TEXT NOT NULL,
        blob INTEGER NOT NULL, PRIMARY KEY (bucket, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE uploads (
        id INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, key BLOB NOT NULL, initiated_ms INTEGER NOT NULL,
        attributes TEXT NOT NULL, plan TEXT NOT NULL
    ) STRICT;
    CREATE TABLE parts (
        upload INTEGER NOT NULL, number INTEGER NOT NULL, size_bytes INTEGER NOT NULL, etag TEXT NOT NULL,
        modified_ms INTEGER NOT NULL, checksum TEXT NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (upload, number)
    ) STRICT, WITHOUT ROWID;
";

/// An object as its row has it.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) size_bytes: u64,
    /// Without quotes.
    pub(super) etag: String,
    /// Of all bytes, hexadecimal. It is the ETag of what did not come in parts.
    pub(super) md5: String,
    pub(super) modified_ms: i64,
    pub(super) attributes: Attributes,
    pub(super) checksum: Checksum,
    pub(super) blob: BlobId,
}

impl Object {
    /// As its headers show it: in whole seconds.
    pub(super) fn last_modified(&self) -> Timestamp {
        timestamp(self.modified_ms)
    }

    /// As its headers show it.
    pub(super) fn tag(&self) -> ETag {
        ETag::Strong(self.etag.clone())
    }

    fn read(row: &Row<'_>) -> Result<Object> {
        Ok(Object {
            size_bytes: row.get("size_bytes")?,
            etag: row.get("etag")?,
            md5: row.get("md5")?,
            modified_ms: row.get("modified_ms")?,
            attributes: json_of(row, "attributes")?,
            checksum: json_of(row, "checksum")?,
            blob: row.get("blob")?,
        })
    }
}

/// A moment in whole seconds, as S3 shows it everywhere.
pub(super) fn timestamp(at_ms: i64) -> Timestamp {
    let since_epoch = Duration::from_secs(u64::try_from(at_ms).unwrap_or_default() / 1000);
    Timestamp::from(UNIX_EPOCH + since_epoch)
}

/// The keys that begin with a prefix, as bounds: from the first, up to but without the second.
pub(super) fn bounds(prefix: &str) -> (Vec<u8>, Vec<u8>) {
    (prefix.as_bytes().to_vec(), after_all(prefix.as_bytes()))
}

/// The least bytes that are greater than all that begin with these. No byte of UTF-8 is so large
/// that it cannot be increased, and none of it begins with 255.
pub(super) fn after_all(prefix: &[u8]) -> Vec<u8> {
    match prefix.split_last() {
        Some((last, start)) => [start, &[last.saturating_add(1)]].concat(),
        None => vec![u8::MAX],
    }
}

/// The object under a key.
pub(super) fn object(database: &Connection, address: &Address) -> Result<Option<Object>> {
    let mut select = database.prepare_cached(
        "SELECT size_bytes, etag, md5, modified_ms, attributes, checksum, blob FROM objects
         WHERE bucket = :bucket AND key = :key",
    )?;
    let values = named_params! { ":bucket": address.bucket, ":key": address.key.as_bytes() };
    select.query_row(values, Object::read).optional()
}

/// Puts an object under a key, in place of what is there.
pub(super) fn put_object(database: &Connection, address: &Address, object: &Object) -> Result<()> {
    let mut replace = database.prepare_cached(
        "REPLACE INTO objects (bucket, key, size_bytes, etag, md5, modified_ms, attributes, checksum, blob)
         VALUES (:bucket, :key, :size_bytes, :etag, :md5, :modified_ms, :attributes, :checksum, :blob)",
    )?;
    replace.execute(named_params! {
        ":bucket": address.bucket,
        ":key": address.key.as_bytes(),
        ":size_bytes": object.size_bytes,
        ":etag": object.etag,
        ":md5": object.md5,
        ":modified_ms": object.modified_ms,
        ":attributes": json(&object.attributes)?,
        ":checksum": json(&object.checksum)?,
        ":blob": object.blob,
    })?;
    Ok(())
}

/// Removes the object under a key.
pub(super) fn delete_object(database: &Connection, address: &Address) -> Result<()> {
    let mut delete =
        database.prepare_cached("DELETE FROM objects WHERE bucket = :bucket AND key = :key")?;
    delete.execute(named_params! { ":bucket": address.bucket, ":key": address.key.as_bytes() })?;
    Ok(())
}

/// Removes the objects of a prefix that are older than a moment, and names their blobs.
pub(super) fn expire(
    database: &Connection,
    bucket: &str,
    prefix: &str,
    before_ms: i64,
) -> Result<Vec<BlobId>> {
    let (from, end) = bounds(prefix);
    let mut delete = database.prepare_cached(
        "DELETE FROM objects WHERE bucket = :bucket AND key >= :from AND key < :end AND modified_ms < :before_ms
         RETURNING blob",
    )?;
    let values =
        named_params! { ":bucket": bucket, ":from": from, ":end": end, ":before_ms": before_ms };
    delete.query_map(values, |row| row.get(0))?.collect()
}

/// Remembers when a bucket was first seen, and says when that was.
pub(super) fn bucket_created_ms(database: &Connection, name: &str, now_ms: i64) -> Result<i64> {
    let values = named_params! { ":name": name, ":now_ms": now_ms };
    database.execute(
        "INSERT OR IGNORE INTO buckets (name, created_ms) VALUES (:name, :now_ms)",
        values,
    )?;
    database.query_row(
        "SELECT created_ms FROM buckets WHERE name = ?",
        [name],
        |row| row.get(0),
    )
}

/// A blob that a row names.
pub(super) struct Owned {
    pub(super) blob: BlobId,
    pub(super) size_bytes: u64,
    /// Bucket and key.
    pub(super) owner: String,
}

/// Every blob that a row names.
pub(super) fn owned_blobs(database: &Connection) -> Result<Vec<Owned>> {
    let mut select = database.prepare(
        "SELECT blob, size_bytes, bucket || '/' || CAST(key AS TEXT) FROM objects
         UNION ALL SELECT blob, size_bytes, 'part ' || number || ' of upload ' || upload FROM parts",
    )?;
    let owned = |row: &Row<'_>| {
        Ok(Owned {
            blob: row.get(0)?,
            size_bytes: row.get(1)?,
            owner: row.get(2)?,
        })
    };
    select.query_map([], owned)?.collect()
}

/// Writes a structure into a column.
pub(super) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// Reads a structure out of a column.
pub(super) fn json_of<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Result<T> {
    let index = row.as_ref().column_index(column)?;
    let text = row.get_ref(index)?.as_str()?;
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Text, error.into()))
}

/// Reads a key out of a column.
pub(super) fn key_of(row: &Row<'_>, column: &str) -> Result<String> {
    let index = row.as_ref().column_index(column)?;
    let bytes: Vec<u8> = row.get(index)?;
    String::from_utf8(bytes)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Blob, error.into()))
}

impl ToSql for BlobId {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
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
