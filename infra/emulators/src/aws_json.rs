//! Responses of the AWS JSON protocols.

use axum::body::Body;
use http::{HeaderName, HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use serde_json::Value;

/// Header with the error code of the older query protocol, which SQS clients read.
const QUERY_ERROR: HeaderName = HeaderName::from_static("x-amzn-query-error");

/// Version of the protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AwsJson {
    V1_0,
    V1_1,
}

impl AwsJson {
    /// Creates a response with a JSON body.
    pub(crate) fn response(self, status: StatusCode, body: &Value) -> Response<Body> {
        let content_type = match self {
            AwsJson::V1_0 => "application/x-amz-json-1.0",
            AwsJson::V1_1 => "application/x-amz-json-1.1",
        };

        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = status;
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        response
    }
}

/// Adds the query protocol's error code to an error response of SQS.
pub(crate) fn set_query_error(response: &mut Response<Body>, code: &str) {
    let fault = if response.status().is_server_error() {
        "Receiver"
    } else {
        "Sender"
    };
    if let Ok(value) = HeaderValue::try_from(format!("{code};{fault}")) {
        response.headers_mut().insert(QUERY_ERROR, value);
    }
}
