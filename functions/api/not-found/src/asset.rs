//! A file that is compiled into the function.
//!
//! - Each of its representations, compressed and not, has its own entity tag.
//! - It is compressed once, for the first client that accepts gzip: an HTTP API compresses nothing.

use std::{
    io::Write as _,
    sync::{Arc, OnceLock},
};

use axum::{
    body::Bytes,
    response::{IntoResponse, Response},
};
use domain::errors::{ErrorKind, ServiceError};
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, StatusCode, header};
use http_api::response::{ApiError, Precondition, Validators};
use sha2::{Digest, Sha256};

/// A file, its type and its entity tags.
#[derive(Clone)]
pub(crate) struct Asset {
    content_type: &'static str,
    plain: Representation,
    gzip: Arc<OnceLock<Representation>>,
}

#[derive(Clone)]
struct Representation {
    bytes: Bytes,
    etag: String,
}

impl Asset {
    pub(crate) fn new(content_type: &'static str, bytes: &'static [u8]) -> Asset {
        Asset {
            content_type,
            plain: Representation::new(Bytes::from_static(bytes)),
            gzip: Arc::default(),
        }
    }

    /// Returns the file, or 304 if the client has it. Fails with 412 if the client requires
    /// another.
    pub(crate) fn response(&self, request: &HeaderMap) -> Result<Response, ApiError> {
        let is_compressed = accepts_gzip(request);
        let Representation { bytes, etag } = if is_compressed {
            self.gzip.get_or_init(|| self.plain.compressed())
        } else {
            &self.plain
        };

        let validators = Validators {
            etag,
            last_modified: None,
        };
        let headers = [
            (header::ETAG, etag.as_str()),
            (header::CACHE_CONTROL, "no-cache"),
            (header::VARY, "accept-encoding"),
        ];
        match validators.evaluate(request) {
            Precondition::Passed => {
                let content_type = [(header::CONTENT_TYPE, self.content_type)];
                let encoding = [(header::CONTENT_ENCODING, "gzip")];
                let response = (headers, content_type, bytes.clone());
                Ok(if is_compressed {
                    (encoding, response).into_response()
                } else {
                    response.into_response()
                })
            }
            Precondition::NotModified => Ok((StatusCode::NOT_MODIFIED, headers).into_response()),
            Precondition::Failed => Err(ServiceError::new(
                ErrorKind::PreconditionFailed,
                "The document does not match the conditions of the request.",
            )
            .into()),
        }
    }
}

impl Representation {
    fn new(bytes: Bytes) -> Representation {
        let digest = hex::encode(Sha256::digest(&bytes));
        let etag = format!("\"{digest}\"");
        Representation { bytes, etag }
    }

    fn compressed(&self) -> Representation {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let written = encoder.write_all(&self.bytes);
        let compressed = written.and_then(|()| encoder.finish());
        Representation::new(compressed.expect("a vector accepts all bytes").into())
    }
}

/// Whether a client accepts gzip. A weight of 0 rejects it (RFC 9110, section 12.5.3).
fn accepts_gzip(request: &HeaderMap) -> bool {
    let accepted = request.get_all(header::ACCEPT_ENCODING).into_iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let is_rejected = weight
                .trim()
                .strip_prefix("q=")
                .is_some_and(|weight| weight.trim_matches(['0', '.']).is_empty());
            name.trim().eq_ignore_ascii_case("gzip") && !is_rejected
        })
}
