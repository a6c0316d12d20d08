//! The length, MD5 and checksum that a request declares for its body.
//!
//! Invariant: a body that differs from any of them changes nothing.

use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, StatusCode, header::CONTENT_LENGTH};
use s3s::{S3Error, S3ErrorCode, S3Result, TrailingHeaders, s3_error};

use super::checksum::{Algorithm, Digests};

/// Maximum size of a body, in bytes.
pub(super) const BODY_BYTES_MAX: u64 = 5 * 1024 * 1024 * 1024;

const CONTENT_MD5: HeaderName = HeaderName::from_static("content-md5");
const DECODED_LENGTH: HeaderName = HeaderName::from_static("x-amz-decoded-content-length");
const TRAILER: HeaderName = HeaderName::from_static("x-amz-trailer");
const SDK_ALGORITHM: HeaderName = HeaderName::from_static("x-amz-sdk-checksum-algorithm");

/// The checksum that a request declares, in a header or in a trailer after the body.
#[derive(Clone, Debug, PartialEq, Eq)]
enum DeclaredChecksum {
    Absent,
    Header { algorithm: Algorithm, value: String },
    Trailer { algorithm: Algorithm },
}

/// What a request declares about its body.
#[derive(Clone, Debug)]
pub(super) struct DeclaredBody {
    pub(super) length_bytes: u64,
    md5: Option<[u8; 16]>,
    checksum: DeclaredChecksum,
}

impl DeclaredBody {
    /// Parses the headers. Fails if they are malformed or contradict each other.
    pub(super) fn from_headers(headers: &HeaderMap) -> S3Result<DeclaredBody> {
        let length_bytes = text(headers, &DECODED_LENGTH)?
            .or(text(headers, &CONTENT_LENGTH)?)
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

        let md5 = match text(headers, &CONTENT_MD5)? {
            None => None,
            Some(md5) => Some(decode_md5(md5)?),
        };

        Ok(DeclaredBody {
            length_bytes,
            md5,
            checksum: DeclaredChecksum::from_headers(headers)?,
        })
    }

    /// Returns the checksum algorithm that the client chose.
    pub(super) fn algorithm(&self) -> Option<Algorithm> {
        self.checksum.algorithm()
    }

    /// Fails if the received body differs from the declaration.
    pub(super) fn verify(
        &self,
        size_bytes: u64,
        digests: &Digests,
        trailers: Option<&TrailingHeaders>,
    ) -> S3Result<()> {
        if size_bytes != self.length_bytes {
            return Err(incomplete());
        }
        if self.md5.is_some_and(|md5| md5 != digests.md5) {
            return Err(s3_error!(
                BadDigest,
                "The Content-MD5 you specified did not match what we received."
            ));
        }

        let Some(algorithm) = self.algorithm() else {
            return Ok(());
        };
        let declared = match &self.checksum {
            DeclaredChecksum::Header { value, .. } => value.clone(),
            _ => trailer(algorithm, trailers)?,
        };

        if declared != digests.checksum.value {
            let name = algorithm.name();
            return Err(s3_error!(
                BadDigest,
                "The {name} you specified did not match the calculated checksum."
            ));
        }

        Ok(())
    }
}

impl DeclaredChecksum {
    fn from_headers(headers: &HeaderMap) -> S3Result<DeclaredChecksum> {
        let mut checksums = Vec::new();
        for algorithm in Algorithm::ALL {
            if let Some(value) = text(headers, &algorithm.header())? {
                checksums.push(DeclaredChecksum::Header {
                    algorithm,
                    value: check_format(algorithm, value)?,
                });
            }
        }

        for name in headers.get_all(TRAILER) {
            let algorithm = Algorithm::ALL
                .into_iter()
                .find(|algorithm| name == algorithm.header().as_str())
                .ok_or_else(|| {
                    s3_error!(
                        InvalidRequest,
                        "The value specified in the x-amz-trailer header is not supported"
                    )
                })?;
            checksums.push(DeclaredChecksum::Trailer { algorithm });
        }

        if checksums.len() > 1 {
            return Err(s3_error!(
                InvalidRequest,
                "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed."
            ));
        }

        let checksum = checksums.pop().unwrap_or(DeclaredChecksum::Absent);
        if let Some(name) = text(headers, &SDK_ALGORITHM)? {
            checksum.check_sdk_algorithm(name)?;
        }

        Ok(checksum)
    }

    fn algorithm(&self) -> Option<Algorithm> {
        match self {
            DeclaredChecksum::Absent => None,
            DeclaredChecksum::Header { algorithm, .. }
            | DeclaredChecksum::Trailer { algorithm } => Some(*algorithm),
        }
    }

    /// Fails if `x-amz-sdk-checksum-algorithm` names another algorithm.
    fn check_sdk_algorithm(&self, name: &str) -> S3Result<()> {
        let Some(algorithm) = self.algorithm() else {
            return Err(s3_error!(
                InvalidRequest,
                "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found."
            ));
        };

        if Algorithm::named(name) != Some(algorithm) {
            return Err(s3_error!(
                InvalidRequest,
                "Value for x-amz-sdk-checksum-algorithm header is invalid."
            ));
        }

        Ok(())
    }
}

/// The body is shorter or longer than declared.
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
    check_format(algorithm, &value)
}

/// The declared trailer is missing.
fn malformed_trailer() -> S3Error {
    let code = S3ErrorCode::Custom("MalformedTrailerError".into());
    let message = "The request contained trailing data that was not well-formed or did not conform to our published schema.";
    let mut error = S3Error::with_message(code, message);
    error.set_status_code(StatusCode::BAD_REQUEST);
    error
}

/// Returns the value if it is base64 of the algorithm's length.
fn check_format(algorithm: Algorithm, value: &str) -> S3Result<String> {
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

fn decode_md5(md5: &str) -> S3Result<[u8; 16]> {
    BASE64_STANDARD
        .decode(md5)
        .ok()
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| s3_error!(InvalidDigest, "The Content-MD5 you specified was invalid."))
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> S3Result<Option<&'a str>> {
    let Some(value) = headers.get(name) else {
        return Ok(None);
    };
    value
        .to_str()
        .map(Some)
        .map_err(|error| s3_error!(error, InvalidRequest, "Value for {name} header is invalid."))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    type Header = (&'static str, &'static str);

    const LENGTH: Header = ("content-length", "3");
    const CRC32: Header = ("x-amz-checksum-crc32", "y/Q5Jg==");

    fn parse(headers: &[Header]) -> Result<DeclaredBody, String> {
        let map = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        DeclaredBody::from_headers(&map).map_err(|error| error.code().as_str().to_owned())
    }

    #[test]
    fn contradictory_or_malformed_declarations_are_rejected() {
        let cases: [(&[Header], &str); 8] = [
            (&[], "MissingContentLength"),
            (&[("content-length", "5368709121")], "EntityTooLarge"),
            (&[LENGTH, ("content-md5", "AAAA")], "InvalidDigest"),
            (
                &[LENGTH, ("x-amz-checksum-sha1", "y/Q5Jg==")],
                "InvalidRequest",
            ),
            (
                &[LENGTH, CRC32, ("x-amz-trailer", "x-amz-checksum-sha1")],
                "InvalidRequest",
            ),
            (&[LENGTH, ("x-amz-trailer", "x-other")], "InvalidRequest"),
            (
                &[LENGTH, ("x-amz-sdk-checksum-algorithm", "CRC32")],
                "InvalidRequest",
            ),
            (
                &[LENGTH, CRC32, ("x-amz-sdk-checksum-algorithm", "SHA1")],
                "InvalidRequest",
            ),
        ];

        for (headers, code) in cases {
            assert_eq!(parse(headers).unwrap_err(), code, "{headers:?}");
        }
    }

    #[test]
    fn checksum_header_determines_the_algorithm() {
        let declared = parse(&[LENGTH, CRC32]).unwrap();
        assert_eq!(declared.algorithm(), Some(Algorithm::Crc32));
    }

    #[test]
    fn decoded_length_takes_precedence_over_content_length() {
        let chunked = parse(&[
            ("content-length", "90"),
            ("x-amz-decoded-content-length", "3"),
        ]);
        assert_eq!(chunked.unwrap().length_bytes, 3);
    }
}
