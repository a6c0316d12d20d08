//! What a request says about the body it sends: length, MD5, checksum.
//!
//! Invariant: a body that differs from any of them changes nothing.

use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, StatusCode, header::CONTENT_LENGTH};
use s3s::{S3Error, S3ErrorCode, S3Result, TrailingHeaders, s3_error};

use super::checksum::{Algorithm, Sums};

/// Bytes of the largest object or part that one request brings.
pub(super) const BODY_BYTES_MAX: u64 = 5 * 1024 * 1024 * 1024;

const CONTENT_MD5: HeaderName = HeaderName::from_static("content-md5");
const DECODED_LENGTH: HeaderName = HeaderName::from_static("x-amz-decoded-content-length");
const TRAILER: HeaderName = HeaderName::from_static("x-amz-trailer");
const SDK_ALGORITHM: HeaderName = HeaderName::from_static("x-amz-sdk-checksum-algorithm");

/// Where a checksum is announced, and what it is where it came before the body.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Promise {
    Nothing,
    Header(Algorithm, String),
    Trailer(Algorithm),
}

/// What a request says about its body.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) length_bytes: u64,
    md5: Option<[u8; 16]>,
    promise: Promise,
}

impl Declared {
    /// Reads the headers, refusing those that cannot be true.
    pub(super) fn from_headers(headers: &HeaderMap) -> S3Result<Declared> {
        let length = text(headers, &DECODED_LENGTH)?.or(text(headers, &CONTENT_LENGTH)?);
        let length_bytes = length
            .and_then(|length| length.parse().ok())
            .ok_or_else(|| {
                s3_error!(
                    MissingContentLength,
                    "You must provide the Content-Length HTTP header."
                )
            })?;
        if length_bytes > BODY_BYTES_MAX {
            return Err(s3_error!(
                EntityTooLarge,
                "Your proposed upload exceeds the maximum allowed size"
            ));
        }
        let md5 = text(headers, &CONTENT_MD5)?
            .map(|md5| decode(md5).ok_or_else(invalid_digest))
            .transpose()?;
        Ok(Declared {
            length_bytes,
            md5,
            promise: Promise::from_headers(headers)?,
        })
    }

    /// The algorithm that the client chose.
    pub(super) fn algorithm(&self) -> Option<Algorithm> {
        match self.promise {
            Promise::Nothing => None,
            Promise::Header(algorithm, _) | Promise::Trailer(algorithm) => Some(algorithm),
        }
    }

    /// Compares it to what arrived.
    pub(super) fn verify(
        &self,
        size_bytes: u64,
        sums: &Sums,
        trailers: Option<&TrailingHeaders>,
    ) -> S3Result<()> {
        if size_bytes != self.length_bytes {
            return Err(incomplete());
        }
        if self.md5.is_some_and(|md5| md5 != sums.md5) {
            return Err(s3_error!(
                BadDigest,
                "The Content-MD5 you specified did not match what we received."
            ));
        }
        let (algorithm, promised) = match &self.promise {
            Promise::Nothing => return Ok(()),
            Promise::Header(algorithm, value) => (*algorithm, value.clone()),
            Promise::Trailer(algorithm) => (*algorithm, trailer(*algorithm, trailers)?),
        };
        if promised != sums.checksum.value {
            let name = algorithm.name();
            return Err(s3_error!(
                BadDigest,
                "The {name} you specified did not match the calculated checksum."
            ));
        }
        Ok(())
    }
}

impl Promise {
    fn from_headers(headers: &HeaderMap) -> S3Result<Promise> {
        let mut promises = Vec::new();
        for algorithm in Algorithm::ALL {
            if let Some(value) = text(headers, &algorithm.header())? {
                promises.push(Promise::Header(algorithm, well_formed(algorithm, value)?));
            }
        }
        for value in headers.get_all(TRAILER) {
            let named = Algorithm::ALL
                .into_iter()
                .find(|algorithm| value == algorithm.header().as_str());
            let rejection = || {
                s3_error!(
                    InvalidRequest,
                    "The value specified in the x-amz-trailer header is not supported"
                )
            };
            promises.push(Promise::Trailer(named.ok_or_else(rejection)?));
        }
        if promises.len() > 1 {
            return Err(s3_error!(
                InvalidRequest,
                "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed."
            ));
        }
        let promise = promises.pop().unwrap_or(Promise::Nothing);
        match (text(headers, &SDK_ALGORITHM)?, promise) {
            (Some(_), Promise::Nothing) => Err(s3_error!(
                InvalidRequest,
                "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found."
            )),
            (Some(name), Promise::Header(algorithm, _) | Promise::Trailer(algorithm))
                if Algorithm::named(name) != Some(algorithm) =>
            {
                Err(s3_error!(
                    InvalidRequest,
                    "Value for x-amz-sdk-checksum-algorithm header is invalid."
                ))
            }
            (_, promise) => Ok(promise),
        }
    }
}

/// The rejection of a body that ended early or went on too long.
pub(super) fn incomplete() -> S3Error {
    s3_error!(
        IncompleteBody,
        "You did not provide the number of bytes specified by the Content-Length HTTP header"
    )
}

fn trailer(algorithm: Algorithm, trailers: Option<&TrailingHeaders>) -> S3Result<String> {
    let find = |sent: &HeaderMap| Some(sent.get(algorithm.header())?.to_str().ok()?.to_owned());
    let value = trailers
        .and_then(|trailers| trailers.read(find))
        .flatten()
        .ok_or_else(malformed_trailer)?;
    well_formed(algorithm, &value)
}

/// The rejection of a body without the trailer that was announced.
fn malformed_trailer() -> S3Error {
    let code = S3ErrorCode::Custom("MalformedTrailerError".into());
    let message = "The request contained trailing data that was not well-formed or did not conform to our published schema.";
    let mut rejection = S3Error::with_message(code, message);
    rejection.set_status_code(StatusCode::BAD_REQUEST);
    rejection
}

/// A checksum that has its algorithm's length.
fn well_formed(algorithm: Algorithm, value: &str) -> S3Result<String> {
    let length = BASE64_STANDARD.decode(value).map(|bytes| bytes.len());
    if length == Ok(algorithm.length_bytes()) {
        return Ok(value.to_owned());
    }
    Err(s3_error!(
        InvalidRequest,
        "Value for {} header is invalid.",
        algorithm.header()
    ))
}

fn decode(md5: &str) -> Option<[u8; 16]> {
    BASE64_STANDARD.decode(md5).ok()?.try_into().ok()
}

fn invalid_digest() -> S3Error {
    s3_error!(InvalidDigest, "The Content-MD5 you specified was invalid.")
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> S3Result<Option<&'a str>> {
    let Some(value) = headers.get(name) else {
        return Ok(None);
    };
    let value = value.to_str();
    value
        .map(Some)
        .map_err(|error| s3_error!(error, InvalidRequest, "Value for {name} header is invalid."))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn declared(headers: &[(&'static str, &'static str)]) -> Result<Declared, String> {
        let named = headers.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        Declared::from_headers(&named.collect())
            .map_err(|rejection| rejection.code().as_str().to_owned())
    }

    #[test]
    fn what_cannot_be_true_is_refused() {
        let length = ("content-length", "3");
        let crc32 = ("x-amz-checksum-crc32", "y/Q5Jg==");
        for (headers, code) in [
            (vec![], "MissingContentLength"),
            (vec![("content-length", "5368709121")], "EntityTooLarge"),
            (vec![length, ("content-md5", "AAAA")], "InvalidDigest"),
            (
                vec![length, ("x-amz-checksum-sha1", "y/Q5Jg==")],
                "InvalidRequest",
            ),
            (
                vec![length, crc32, ("x-amz-trailer", "x-amz-checksum-sha1")],
                "InvalidRequest",
            ),
            (vec![length, ("x-amz-trailer", "x-other")], "InvalidRequest"),
            (
                vec![length, ("x-amz-sdk-checksum-algorithm", "CRC32")],
                "InvalidRequest",
            ),
            (
                vec![length, crc32, ("x-amz-sdk-checksum-algorithm", "SHA1")],
                "InvalidRequest",
            ),
        ] {
            assert_eq!(declared(&headers).unwrap_err(), code, "{headers:?}");
        }
        assert_eq!(
            declared(&[length, crc32]).unwrap().algorithm(),
            Some(Algorithm::Crc32)
        );
    }

    #[test]
    fn the_decoded_length_is_the_bodys() {
        let chunked = declared(&[
            ("content-length", "90"),
            ("x-amz-decoded-content-length", "3"),
        ]);
        assert_eq!(chunked.unwrap().length_bytes, 3);
    }
}
