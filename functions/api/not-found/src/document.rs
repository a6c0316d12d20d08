//! `GET /openapi.json`: the OpenAPI document of the API, without a key.

use axum::response::{IntoResponse, Response};
use domain::{ErrorKind, ServiceError};
use http::{HeaderMap, StatusCode, header};
use http_api::{ApiError, Precondition, Validators};
use sha2::{Digest, Sha256};

/// The committed document, which the crate `openapi` generates.
const DOCUMENT: &str = include_str!("../../../../openapi.json");
/// Full path of the document.
pub(crate) const PATH: &str = "/api/v1/openapi.json";

/// The document and its entity tag.
#[derive(Clone)]
pub(crate) struct Document {
    etag: String,
}

impl Document {
    pub(crate) fn new() -> Document {
        let digest = hex::encode(Sha256::digest(DOCUMENT));
        Document {
            etag: format!("\"{digest}\""),
        }
    }

    /// Returns the document, or 304 if the client has it. Fails with 412 if the client requires another one.
    pub(crate) fn response(&self, request: &HeaderMap) -> Result<Response, ApiError> {
        let validators = Validators {
            etag: &self.etag,
            last_modified: None,
        };
        let headers = [
            (header::ETAG, self.etag.as_str()),
            (header::CACHE_CONTROL, "no-cache"),
        ];

        let json = [(header::CONTENT_TYPE, "application/json")];
        match validators.evaluate(request) {
            Precondition::Passed => Ok((headers, json, DOCUMENT).into_response()),
            Precondition::NotModified => Ok((StatusCode::NOT_MODIFIED, headers).into_response()),
            Precondition::Failed => Err(ServiceError::new(
                ErrorKind::PreconditionFailed,
                "The document does not match the conditions of the request.",
            )
            .into()),
        }
    }
}
