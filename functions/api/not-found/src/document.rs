//! `GET /openapi.json`: the OpenAPI document of the API, without a key.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};

/// The committed document, which the crate `openapi` generates.
const DOCUMENT: &str = include_str!("../../../../openapi.json");
/// Full path of the document.
pub(crate) const PATH: &str = "/api/v1/openapi.json";

/// The document and its entity tag.
#[derive(Clone)]
pub(crate) struct Document {
    etag: HeaderValue,
}

impl Document {
    pub(crate) fn new() -> Document {
        let digest = hex::encode(Sha256::digest(DOCUMENT));
        let etag = format!("\"{digest}\"");
        Document {
            etag: HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("")),
        }
    }

    /// Returns the document, or 304 if the client has it.
    pub(crate) fn response(&self, request: &HeaderMap) -> Response {
        // RFC 9110, section 13.1.2: tags in a list, compared without the prefix of weak ones.
        let tags = request.get_all(header::IF_NONE_MATCH).iter();
        let mut tags = tags
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim);
        let is_current = tags.any(|tag| tag == "*" || tag.trim_start_matches("W/") == self.etag);
        let headers = [
            (header::ETAG, self.etag.clone()),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];

        if is_current {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let json = [(header::CONTENT_TYPE, "application/json")];
        (headers, json, DOCUMENT).into_response()
    }
}
