//! `ListObjectsV2`.
//!
//! Invariant: following the continuation tokens returns every key that exists throughout exactly
//! once, in byte order, and every common prefix once.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rusqlite::{Connection, Row, named_params};
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{
        CommonPrefix, ETag, ListObjectsV2Input, ListObjectsV2Output, Object as ListedObject,
        ObjectStorageClass,
    },
    s3_error,
};

use super::{
    error::not_emulated,
    object_rows::{KeyRange, end_of_prefix, key_of, timestamp},
    store::ObjectStore,
};

/// Characters that `encoding-type=url` encodes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'*')
    .remove(b'/');

/// Maximum number of keys and common prefixes on one page.
const KEYS_MAX: i32 = 1000;

/// Returns one page of a listing.
pub(super) async fn list(
    store: &Arc<ObjectStore>,
    request: S3Request<ListObjectsV2Input>,
) -> S3Result<S3Response<ListObjectsV2Output>> {
    let input = request.input;
    store.bucket(&input.bucket)?;
    let max_keys = input.max_keys.unwrap_or(KEYS_MAX).min(KEYS_MAX);
    if max_keys < 1 {
        return Err(not_emulated("a page without keys"));
    }
    let listing = Listing::new(&input, max_keys)?;
    let page = store
        .blocking(move |store| Ok(listing.page(&store.database())?))
        .await?;
    Ok(S3Response::new(output(input, max_keys, page)))
}

fn output(input: ListObjectsV2Input, max_keys: i32, page: ListPage) -> ListObjectsV2Output {
    let encode = |text: String| match input.encoding_type {
        Some(_) => utf8_percent_encode(&text, ENCODED).to_string(),
        None => text,
    };
    let common_prefixes = page.common_prefixes.into_iter().map(|prefix| CommonPrefix {
        prefix: Some(encode(prefix)),
    });
    let common_prefixes: Vec<_> = common_prefixes.collect();
    let objects = page.objects.into_iter().map(|object| ListedObject {
        key: object.key.map(encode),
        ..object
    });
    let objects: Vec<_> = objects.collect();

    ListObjectsV2Output {
        key_count: i32::try_from(objects.len() + common_prefixes.len()).ok(),
        max_keys: Some(max_keys),
        is_truncated: Some(page.next_key.is_some()),
        next_continuation_token: page.next_key.map(|key| BASE64_URL_SAFE_NO_PAD.encode(key)),
        contents: Some(objects),
        common_prefixes: Some(common_prefixes),
        continuation_token: input.continuation_token,
        delimiter: input.delimiter.map(encode),
        encoding_type: input.encoding_type.clone(),
        name: Some(input.bucket),
        prefix: Some(encode(input.prefix.unwrap_or_default())),
        start_after: input.start_after.map(encode),
        ..ListObjectsV2Output::default()
    }
}

/// A requested page of a listing.
struct Listing {
    bucket: String,
    prefix: String,
    delimiter: String,
    /// Lower bound of the keys, inclusive.
    from: Vec<u8>,
    /// Maximum number of keys and common prefixes.
    limit: usize,
}

#[derive(Default)]
struct ListPage {
    objects: Vec<ListedObject>,
    common_prefixes: Vec<String>,
    /// First key of the next page, if there is one.
    next_key: Option<Vec<u8>>,
}

impl ListPage {
    fn len(&self) -> usize {
        self.objects.len() + self.common_prefixes.len()
    }
}

impl Listing {
    fn new(input: &ListObjectsV2Input, max_keys: i32) -> S3Result<Listing> {
        Ok(Listing {
            bucket: input.bucket.clone(),
            prefix: input.prefix.clone().unwrap_or_default(),
            delimiter: input.delimiter.clone().unwrap_or_default(),
            from: lower_bound(input)?,
            limit: usize::try_from(max_keys).unwrap_or_default(),
        })
    }

    fn page(&self, database: &Connection) -> rusqlite::Result<ListPage> {
        let mut page = ListPage::default();
        let range = KeyRange::of_prefix(&self.prefix);
        let mut from = range.from.max(self.from.clone());

        let mut select = database.prepare_cached(
            "SELECT key, size_bytes, etag, modified_ms FROM objects
             WHERE bucket = :bucket AND key >= :from AND key < :end ORDER BY key",
        )?;

        // Queries again after each common prefix, to skip the keys below it.
        'after_common_prefix: loop {
            let mut rows = select.query(
                named_params! { ":bucket": self.bucket, ":from": from, ":end": range.end },
            )?;
            while let Some(row) = rows.next()? {
                let key = key_of(row, "key")?;
                if page.len() == self.limit {
                    page.next_key = Some(key.into_bytes());
                    return Ok(page);
                }
                if let Some(prefix) = self.common_prefix(&key) {
                    from = end_of_prefix(prefix.as_bytes());
                    page.common_prefixes.push(prefix.to_owned());
                    continue 'after_common_prefix;
                }
                page.objects.push(listed_object(row, key)?);
            }
            return Ok(page);
        }
    }

    /// Returns the key up to the first delimiter after the prefix.
    fn common_prefix<'a>(&self, key: &'a str) -> Option<&'a str> {
        if self.delimiter.is_empty() {
            return None;
        }
        let rest = key.get(self.prefix.len()..)?;
        let end = self.prefix.len() + rest.find(&self.delimiter)? + self.delimiter.len();
        key.get(..end)
    }
}

/// Returns the first possible key of the page, from the continuation token or `start-after`.
fn lower_bound(input: &ListObjectsV2Input) -> S3Result<Vec<u8>> {
    if let Some(token) = &input.continuation_token {
        return BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|error| {
            s3_error!(
                error,
                InvalidArgument,
                "The continuation token provided is incorrect"
            )
        });
    }

    match &input.start_after {
        // The smallest key greater than a key is that key followed by a zero byte.
        Some(key) if !key.is_empty() => Ok([key.as_bytes(), &[0]].concat()),
        _ => Ok(Vec::new()),
    }
}

fn listed_object(row: &Row<'_>, key: String) -> rusqlite::Result<ListedObject> {
    Ok(ListedObject {
        key: Some(key),
        size: row.get("size_bytes")?,
        e_tag: Some(ETag::Strong(row.get("etag")?)),
        last_modified: Some(timestamp(row.get("modified_ms")?)),
        storage_class: Some(ObjectStorageClass::from_static(
            ObjectStorageClass::STANDARD,
        )),
        ..ListedObject::default()
    })
}
