//! What the gateway answers by itself, in the API's own form.

use axum::body::Body;
use domain::Sources;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::json;

/// A refusal: its status, and what it says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal(pub(crate) StatusCode, pub(crate) &'static str);

impl Refusal {
    /// The refusal in the standard body, with a request id of its own.
    pub(crate) fn into_response(self, sources: &Sources) -> Response<Body> {
        let Refusal(status, message) = self;
        let mut response = Response::new(Body::from(json!({ "message": message, "errors": {} }).to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        if let Ok(id) = HeaderValue::try_from(sources.ulid().to_string()) {
            headers.insert("x-request-id", id);
        }
        response
    }
}
