//! The rows of multipart uploads and their parts.
//!
//! Invariant: a part belongs to an upload that is there; both go in one transaction, and the part's
//! file after it.

use rusqlite::{Connection, OptionalExtension, Result, Row, named_params};
use s3s::{S3Result, dto::ETag};
use serde::{Deserialize, Serialize};

use super::{
    attributes::Attributes,
    blobs::BlobId,
    checksum::{Algorithm, Checksum, Coverage},
    fault::no_such_upload,
    rows::{bounds, json, json_of},
    shared::Address,
};

/// Names one upload, never again another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UploadId(i64);

impl UploadId {
    /// Reads what a client was given; what it was not is no upload.
    pub(super) fn parse(text: &str) -> S3Result<UploadId> {
        i64::from_str_radix(text, 16)
            .map(UploadId)
            .map_err(|_| no_such_upload())
    }

    /// What a client is given.
    pub(super) fn text(self) -> String {
        format!("{:032x}", self.0)
    }
}

/// Which checksum the object will have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) algorithm: Algorithm,
    pub(super) coverage: Coverage,
    /// Whether the client chose it, so that every part has to come with it.
    pub(super) chosen: bool,
}

/// An upload as its row has it.
#[derive(Clone, Debug)]
pub(super) struct Upload {
    pub(super) id: UploadId,
    pub(super) attributes: Attributes,
    pub(super) plan: Plan,
}

/// A part as its row has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) number: i32,
    pub(super) size_bytes: u64,
    /// The MD5 of its bytes, hexadecimal.
    pub(super) etag: String,
    pub(super) modified_ms: i64,
    pub(super) checksum: Checksum,
    pub(super) blob: BlobId,
}

impl Part {
    /// As answers show it.
    pub(super) fn tag(&self) -> ETag {
        ETag::Strong(self.etag.clone())
    }

    fn read(row: &Row<'_>) -> Result<Part> {
        Ok(Part {
            number: row.get("number")?,
            size_bytes: row.get("size_bytes")?,
            etag: row.get("etag")?,
            modified_ms: row.get("modified_ms")?,
            checksum: json_of(row, "checksum")?,
            blob: row.get("blob")?,
        })
    }
}

/// Begins an upload.
pub(super) fn begin(
    database: &Connection,
    address: &Address,
    attributes: &Attributes,
    plan: Plan,
    now_ms: i64,
) -> Result<UploadId> {
    let mut insert = database.prepare_cached(
        "INSERT INTO uploads (bucket, key, initiated_ms, attributes, plan)
         VALUES (:bucket, :key, :now_ms, :attributes, :plan)",
    )?;
    let id = insert.insert(named_params! {
        ":bucket": address.bucket,
        ":key": address.key.as_bytes(),
        ":now_ms": now_ms,
        ":attributes": json(attributes)?,
        ":plan": json(&plan)?,
    })?;
    Ok(UploadId(id))
}

/// The upload of this name, if it is for this key.
pub(super) fn upload(
    database: &Connection,
    id: UploadId,
    address: &Address,
) -> Result<Option<Upload>> {
    let mut select = database.prepare_cached(
        "SELECT attributes, plan FROM uploads WHERE id = :id AND bucket = :bucket AND key = :key",
    )?;
    let values =
        named_params! { ":id": id.0, ":bucket": address.bucket, ":key": address.key.as_bytes() };
    let read = |row: &Row<'_>| {
        Ok(Upload {
            id,
            attributes: json_of(row, "attributes")?,
            plan: json_of(row, "plan")?,
        })
    };
    select.query_row(values, read).optional()
}

/// Removes an upload with its parts, and names their files.
pub(super) fn remove(database: &Connection, id: UploadId) -> Result<Vec<BlobId>> {
    database
        .prepare_cached("DELETE FROM uploads WHERE id = :id")?
        .execute(named_params! { ":id": id.0 })?;
    let mut delete =
        database.prepare_cached("DELETE FROM parts WHERE upload = :id RETURNING blob")?;
    delete
        .query_map(named_params! { ":id": id.0 }, |row| row.get(0))?
        .collect()
}

/// The parts that follow a number, in their order.
pub(super) fn parts(
    database: &Connection,
    id: UploadId,
    after: i32,
    most: i32,
) -> Result<Vec<Part>> {
    let mut select = database.prepare_cached(
        "SELECT number, size_bytes, etag, modified_ms, checksum, blob FROM parts
         WHERE upload = :id AND number > :after ORDER BY number LIMIT :most",
    )?;
    select
        .query_map(
            named_params! { ":id": id.0, ":after": after, ":most": most },
            Part::read,
        )?
        .collect()
}

/// Puts a part, and names the file of the one that it replaces.
pub(super) fn put_part(database: &Connection, id: UploadId, part: &Part) -> Result<Option<BlobId>> {
    let mut select = database
        .prepare_cached("SELECT blob FROM parts WHERE upload = :id AND number = :number")?;
    let key = named_params! { ":id": id.0, ":number": part.number };
    let replaced = select.query_row(key, |row| row.get(0)).optional()?;
    let mut replace = database.prepare_cached(
        "REPLACE INTO parts (upload, number, size_bytes, etag, modified_ms, checksum, blob)
         VALUES (:id, :number, :size_bytes, :etag, :modified_ms, :checksum, :blob)",
    )?;
    replace.execute(named_params! {
        ":id": id.0,
        ":number": part.number,
        ":size_bytes": part.size_bytes,
        ":etag": part.etag,
        ":modified_ms": part.modified_ms,
        ":checksum": json(&part.checksum)?,
        ":blob": part.blob,
    })?;
    Ok(replaced)
}

/// Removes the uploads of a prefix that were begun before a moment, and names the files of their
/// parts.
pub(super) fn expire(
    database: &Connection,
    bucket: &str,
    prefix: &str,
    before_ms: i64,
) -> Result<Vec<BlobId>> {
    let (from, end) = bounds(prefix);
    let mut select = database.prepare_cached(
        "SELECT id FROM uploads WHERE bucket = :bucket AND key >= :from AND key < :end AND initiated_ms < :before_ms",
    )?;
    let values =
        named_params! { ":bucket": bucket, ":from": from, ":end": end, ":before_ms": before_ms };
    let due: Vec<UploadId> = select
        .query_map(values, |row| row.get(0).map(UploadId))?
        .collect::<Result<_>>()?;
    let mut blobs = Vec::new();
    for upload in due {
        blobs.extend(remove(database, upload)?);
    }
    Ok(blobs)
}
