//! What is kept with an object beside its bytes: system headers and the user's metadata.
//!
//! Invariant: values go out as they came in, but for `aws-chunked`, which belongs to the transport.

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

/// Bytes of user metadata, names and values together.
const METADATA_BYTES_MAX: usize = 2 * 1024;

const METADATA_PREFIX: &str = "x-amz-meta-";

/// What an object is when nobody said what it is.
const DEFAULT_CONTENT_TYPE: &str = "binary/octet-stream";

const SYSTEM_HEADERS: [HeaderName; 6] = [
    CACHE_CONTROL,
    CONTENT_DISPOSITION,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_TYPE,
    EXPIRES,
];

/// Headers by their lower-case name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Attributes(BTreeMap<String, String>);

impl Attributes {
    /// Those that a request sets.
    pub(super) fn from_headers(headers: &HeaderMap) -> S3Result<Attributes> {
        let mut kept = BTreeMap::new();
        let mut metadata_bytes = 0;
        for name in headers.keys() {
            let metadata = name.as_str().strip_prefix(METADATA_PREFIX);
            if metadata.is_none() && !SYSTEM_HEADERS.contains(name) {
                continue;
            }
            let value = joined(headers, name)?;
            metadata_bytes += metadata.map_or(0, |name| name.len() + value.len());
            let value = if name == CONTENT_ENCODING {
                without_chunking(&value)
            } else {
                value
            };
            if !value.is_empty() || metadata.is_some() {
                kept.insert(name.as_str().to_owned(), value);
            }
        }
        if metadata_bytes > METADATA_BYTES_MAX {
            return Err(s3_error!(
                MetadataTooLarge,
                "Your metadata headers exceed the maximum allowed metadata size"
            ));
        }
        kept.entry(CONTENT_TYPE.as_str().to_owned())
            .or_insert_with(|| DEFAULT_CONTENT_TYPE.to_owned());
        Ok(Attributes(kept))
    }

    /// Sets them on an answer.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0 {
            // Both were headers once.
            if let (Ok(name), Ok(value)) = (
                HeaderName::try_from(name),
                HeaderValue::from_bytes(value.as_bytes()),
            ) {
                headers.insert(name, value);
            }
        }
    }

    /// Sets the one that a 304 carries.
    pub(super) fn write_validators(&self, headers: &mut HeaderMap) {
        if let Some(Ok(value)) = self
            .0
            .get(CACHE_CONTROL.as_str())
            .map(HeaderValue::try_from)
        {
            headers.insert(CACHE_CONTROL, value);
        }
    }
}

/// All values of a header as one.
fn joined(headers: &HeaderMap, name: &HeaderName) -> S3Result<String> {
    let mut values = Vec::new();
    for value in headers.get_all(name) {
        let value = std::str::from_utf8(value.as_bytes());
        values.push(
            value.map_err(|error| {
                s3_error!(error, InvalidArgument, "Header {name} is not UTF-8.")
            })?,
        );
    }
    Ok(values.join(","))
}

fn without_chunking(encoding: &str) -> String {
    let kept = encoding
        .split(',')
        .map(str::trim)
        .filter(|coding| !coding.eq_ignore_ascii_case("aws-chunked"));
    kept.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&'static str, &str)]) -> S3Result<Attributes> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        Attributes::from_headers(&map)
    }

    #[test]
    fn the_encoding_of_the_transport_is_not_the_objects() {
        for (sent, kept) in [
            ("aws-chunked", None),
            ("aws-chunked,gzip", Some("gzip")),
            ("br", Some("br")),
        ] {
            let attributes = read(&[("content-encoding", sent)]).unwrap();
            assert_eq!(
                attributes.0.get("content-encoding").map(String::as_str),
                kept,
                "{sent}"
            );
        }
    }

    #[test]
    fn metadata_is_bounded_by_its_bytes() {
        let fits = "v".repeat(METADATA_BYTES_MAX - "name".len());
        assert!(read(&[("x-amz-meta-name", &fits)]).is_ok());
        assert!(read(&[("x-amz-meta-name", &format!("{fits}v"))]).is_err());
    }

    #[test]
    fn what_came_in_goes_out() {
        let sent = [
            ("cache-control", "no-store"),
            ("content-type", "text/plain; charset=utf-8"),
            ("x-amz-meta-a", "é, b"),
        ];
        let mut answer = HeaderMap::new();
        read(&sent).unwrap().write(&mut answer);
        for (name, value) in sent {
            assert_eq!(answer[name].as_bytes(), value.as_bytes());
        }
        assert_eq!(answer.len(), sent.len());
    }
}
