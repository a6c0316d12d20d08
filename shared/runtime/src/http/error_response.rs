//! Error responses that are sent outside of a function's router, in the API's standard body.
//!
//! `http-api` builds the same body for errors of handlers; this crate cannot depend on it.

use domain::env::Env;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use serde_json::json;

use crate::http::{ErrorCause, observer::REQUEST_ID};

/// `Retry-After` of a 503, in seconds.
const RETRY_AFTER_SECONDS: u32 = 1;

/// Response headers that scripts of any origin may read.
const EXPOSED_HEADERS: &str = "Retry-After, X-Request-Id";

/// Returns an error response for a request that reaches no function, with a new request id, and
/// logs it.
pub fn error_response<B: From<String>>(
    status: StatusCode,
    message: &str,
    env: &Env,
) -> Response<B> {
    let request_id = env.ulid().to_string();
    let code = status.as_u16();
    tracing::info!(
        request_id,
        status = code,
        cause = message,
        "request rejected"
    );

    let mut response = standard_response(status, message);
    if let Ok(id) = HeaderValue::try_from(request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Returns a 503. Only the log contains the reason.
pub(crate) fn service_unavailable<B: From<String>>(reason: String) -> Response<B> {
    let message = "The service is busy. Retry after the number of seconds in Retry-After.";
    let mut response = standard_response(StatusCode::SERVICE_UNAVAILABLE, message);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
    response.extensions_mut().insert(ErrorCause {
        text: reason,
        is_contention: false,
    });
    response
}

/// Returns the standard body of an error.
pub(crate) fn error_body(message: &str) -> String {
    json!({ "message": message, "errors": {} }).to_string()
}

fn standard_response<B: From<String>>(status: StatusCode, message: &str) -> Response<B> {
    let mut response = Response::new(B::from(error_body(message)));
    *response.status_mut() = status;

    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    allow_all_origins(headers, EXPOSED_HEADERS);
    response
}

/// Lets scripts of any origin read a response with these headers.
pub fn allow_all_origins(headers: &mut HeaderMap, exposed: &'static str) {
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    );
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(exposed),
    );
}
