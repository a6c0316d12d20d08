//! The headers that are stored with an object: system headers and user metadata.
//!
//! Invariant: a response contains the values of the upload.

use std::collections::BTreeMap;

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE,
        EXPIRES,
    },
};
use s3s::{S3Result, s3_error};
use serde::{Deserialize, Serialize};

/// Maximum size of the names and values of user metadata, in bytes.
const METADATA_BYTES_MAX: usize = 2 * 1024;

const METADATA_PREFIX: &str = "x-amz-meta-";

/// Content type of an object that was uploaded without one.
const DEFAULT_CONTENT_TYPE: &str = "binary/octet-stream";

const SYSTEM_HEADERS: [HeaderName; 6] = [
    CACHE_CONTROL,
    CONTENT_DISPOSITION,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_TYPE,
    EXPIRES,
];

/// Values by lower-case header name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ObjectHeaders(BTreeMap<String, String>);

impl ObjectHeaders {
    /// Returns the headers of a request that are stored with the object.
    pub(super) fn from_headers(headers: &HeaderMap) -> S3Result<ObjectHeaders> {
        let mut stored = BTreeMap::new();
        let mut metadata_bytes = 0;
        for name in headers.keys() {
            let metadata_name = name.as_str().strip_prefix(METADATA_PREFIX);
            if metadata_name.is_none() && !SYSTEM_HEADERS.contains(name) {
                continue;
            }
            let value = joined_values(headers, name)?;
            metadata_bytes += metadata_name.map_or(0, |name| name.len() + value.len());
            if !value.is_empty() || metadata_name.is_some() {
                stored.insert(name.as_str().to_owned(), value);
            }
        }

        if metadata_bytes > METADATA_BYTES_MAX {
            return Err(s3_error!(
                MetadataTooLarge,
                "Your metadata headers exceed the maximum allowed metadata size"
            ));
        }

        stored
            .entry(CONTENT_TYPE.as_str().to_owned())
            .or_insert_with(|| DEFAULT_CONTENT_TYPE.to_owned());
        Ok(ObjectHeaders(stored))
    }

    /// Writes all headers to a response.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0 {
            // Both were valid in the upload.
            if let Ok(name) = HeaderName::try_from(name)
                && let Ok(value) = HeaderValue::from_bytes(value.as_bytes())
            {
                headers.insert(name, value);
            }
        }
    }
}

/// Returns all values of a header, joined with commas.
fn joined_values(headers: &HeaderMap, name: &HeaderName) -> S3Result<String> {
    let mut values = Vec::new();
    for value in headers.get_all(name) {
        let text = std::str::from_utf8(value.as_bytes())
            .map_err(|error| s3_error!(error, InvalidArgument, "Header {name} is not UTF-8."))?;
        values.push(text);
    }
    Ok(values.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf8_value(value: &str) -> HeaderValue {
        HeaderValue::from_bytes(value.as_bytes()).unwrap()
    }

    #[test]
    fn uploaded_headers_are_returned_if_metadata_is_within_2_kib() {
        let longest = "v".repeat(METADATA_BYTES_MAX - "a".len());
        for (metadata, is_accepted) in [
            ("é, b", true),
            (&longest, true),
            (&format!("{longest}v"), false),
        ] {
            let mut sent = HeaderMap::new();
            sent.insert("cache-control", utf8_value("no-store"));
            sent.insert("content-type", utf8_value("text/plain; charset=utf-8"));
            sent.insert("x-amz-meta-a", utf8_value(metadata));

            let returned = ObjectHeaders::from_headers(&sent).ok().map(|stored| {
                let mut response = HeaderMap::new();
                stored.write(&mut response);
                response
            });

            assert_eq!(returned, is_accepted.then_some(sent), "{metadata:.10}");
        }
    }
}
