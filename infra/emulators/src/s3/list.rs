//! `ListObjectsV2`.
//!
//! Invariant: following the tokens of a listing visits every key that is there throughout, once, in
//! the order of the keys' bytes; a common prefix is told once.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rusqlite::{Connection, Row, named_params};
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{
        CommonPrefix, ETag, EncodingType, ListObjectsV2Input, ListObjectsV2Output,
        Object as Listed, ObjectStorageClass,
    },
    s3_error,
};

use super::{
    rows::{after_all, bounds, key_of, timestamp},
    shared::Shared,
};

/// Keys and common prefixes of one page.
const PAGE_MAX: i32 = 1000;

/// What `encoding-type=url` leaves as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'*')
    .remove(b'/');

/// Answers with one page.
pub(super) async fn list(
    shared: &Arc<Shared>,
    request: S3Request<ListObjectsV2Input>,
) -> S3Result<S3Response<ListObjectsV2Output>> {
    let input = request.input;
    shared.bucket(&input.bucket)?;
    let wanted = Wanted::new(&input)?;
    let page = shared
        .blocking(move |shared| Ok(wanted.page(&shared.database())?))
        .await?;
    let spell = spelling(input.encoding_type.as_ref());
    let spell_all = |text: Option<String>| text.as_deref().map(&spell);
    let keys = page.keys.into_iter().map(|listed| Listed {
        key: spell_all(listed.key),
        ..listed
    });
    let prefixes = page.prefixes.iter().map(|prefix| CommonPrefix {
        prefix: Some(spell(prefix)),
    });
    let (keys, prefixes): (Vec<_>, Vec<_>) = (keys.collect(), prefixes.collect());
    let output = ListObjectsV2Output {
        key_count: i32::try_from(keys.len() + prefixes.len()).ok(),
        max_keys: Some(page_size(input.max_keys)?),
        is_truncated: Some(page.rest.is_some()),
        next_continuation_token: page.rest.map(|rest| BASE64_URL_SAFE_NO_PAD.encode(rest)),
        contents: Some(keys),
        common_prefixes: Some(prefixes),
        continuation_token: input.continuation_token,
        delimiter: spell_all(input.delimiter),
        encoding_type: input.encoding_type,
        name: Some(input.bucket),
        prefix: Some(spell(input.prefix.as_deref().unwrap_or_default())),
        start_after: spell_all(input.start_after),
        ..ListObjectsV2Output::default()
    };
    Ok(S3Response::new(output))
}

/// How many entries a page may have that asks for so many.
pub(super) fn page_size(asked: Option<i32>) -> S3Result<i32> {
    match asked.unwrap_or(PAGE_MAX) {
        ..0 => Err(s3_error!(
            InvalidArgument,
            "Argument maxKeys must be an integer between 0 and 2147483647"
        )),
        asked => Ok(asked.min(PAGE_MAX)),
    }
}

/// How keys are written into the answer.
fn spelling(encoding: Option<&EncodingType>) -> impl Fn(&str) -> String + use<> {
    let encoded = encoding.is_some_and(|encoding| encoding.as_str() == EncodingType::URL);
    move |text| {
        if encoded {
            utf8_percent_encode(text, PLAIN).to_string()
        } else {
            text.to_owned()
        }
    }
}

/// A listing as it was asked for.
struct Wanted {
    bucket: String,
    prefix: String,
    delimiter: String,
    /// The least key of the page.
    from: Vec<u8>,
    most: usize,
}

#[derive(Default)]
struct Page {
    keys: Vec<Listed>,
    prefixes: Vec<String>,
    /// The least key of the next page, where there is one.
    rest: Option<Vec<u8>>,
}

impl Wanted {
    fn new(input: &ListObjectsV2Input) -> S3Result<Wanted> {
        let from = match (&input.continuation_token, &input.start_after) {
            (Some(token), _) => BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|error| {
                s3_error!(
                    error,
                    InvalidArgument,
                    "The continuation token provided is incorrect"
                )
            })?,
            // No key lies between a key and itself followed by a zero.
            (None, Some(after)) if !after.is_empty() => [after.as_bytes(), &[0]].concat(),
            (None, _) => Vec::new(),
        };
        Ok(Wanted {
            bucket: input.bucket.clone(),
            prefix: input.prefix.clone().unwrap_or_default(),
            delimiter: input.delimiter.clone().unwrap_or_default(),
            from,
            most: usize::try_from(page_size(input.max_keys)?).unwrap_or_default(),
        })
    }

    fn page(&self, database: &Connection) -> rusqlite::Result<Page> {
        let (first, end) = bounds(&self.prefix);
        let mut from = first.max(self.from.clone());
        let mut page = Page::default();
        if self.most == 0 {
            return Ok(page);
        }
        let mut select = database.prepare_cached(
            "SELECT key, size_bytes, etag, modified_ms FROM objects
             WHERE bucket = :bucket AND key >= :from AND key < :end ORDER BY key",
        )?;
        // A common prefix is left behind with all its keys by asking again for what comes after it.
        'after_prefix: loop {
            let mut rows = select
                .query(named_params! { ":bucket": self.bucket, ":from": from, ":end": end })?;
            while let Some(row) = rows.next()? {
                let key = key_of(row, "key")?;
                if page.keys.len() + page.prefixes.len() == self.most {
                    page.rest = Some(key.into_bytes());
                    return Ok(page);
                }
                if let Some(prefix) = self.common_prefix(&key) {
                    from = after_all(prefix.as_bytes());
                    page.prefixes.push(prefix.to_owned());
                    continue 'after_prefix;
                }
                page.keys.push(listed(row, key)?);
            }
            return Ok(page);
        }
    }

    /// The part of a key up to the first delimiter behind the prefix.
    fn common_prefix<'a>(&self, key: &'a str) -> Option<&'a str> {
        if self.delimiter.is_empty() {
            return None;
        }
        let at = key.get(self.prefix.len()..)?.find(&self.delimiter)?;
        key.get(..self.prefix.len() + at + self.delimiter.len())
    }
}

fn listed(row: &Row<'_>, key: String) -> rusqlite::Result<Listed> {
    Ok(Listed {
        key: Some(key),
        size: row.get("size_bytes")?,
        e_tag: Some(ETag::Strong(row.get("etag")?)),
        last_modified: Some(timestamp(row.get("modified_ms")?)),
        storage_class: Some(ObjectStorageClass::from_static(
            ObjectStorageClass::STANDARD,
        )),
        ..Listed::default()
    })
}
