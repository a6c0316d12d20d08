//! What the gateway answers by itself, in the API's own form.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::json;

/// A refusal in the standard body.
pub(crate) fn refusal(status: StatusCode, message: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(json!({ "message": message, "errors": {} }).to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert("x-request-id", HeaderValue::from_static("gateway"));
    response
}
