//! Refusals from outside of a function, in the form that all of the API's have.
//!
//! What a function refuses `web` answers, which nothing here may know: this form stands here a
//! second time.

use domain::Env;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::json;

use crate::{Cause, observer::REQUEST_ID};

/// Seconds after which a client may try again what failed because we were busy.
const RETRY_AFTER_SECONDS: u32 = 1;

/// Headers of these responses that scripts of any origin may read.
const EXPOSED: &str = "Retry-After, X-Request-Id";

/// Returns an error response in the standard body, of a request that reaches no function, with an
/// id of its own.
pub fn refusal<B: From<String>>(status: StatusCode, message: &str, env: &Env) -> Response<B> {
    let mut response = error_response(status, message);
    if let Ok(id) = HeaderValue::try_from(env.ulid().to_string()) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Returns a 503 with the reason in the log alone.
pub(crate) fn busy<B: From<String>>(reason: String) -> Response<B> {
    let message = "The service is busy. Please try again.";
    let mut response = error_response(StatusCode::SERVICE_UNAVAILABLE, message);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
    response.extensions_mut().insert(Cause {
        text: reason,
        is_contention: false,
    });
    response
}

/// Returns the standard body of an error.
pub(crate) fn error_body(message: &str) -> String {
    json!({ "message": message, "errors": {} }).to_string()
}

fn error_response<B: From<String>>(status: StatusCode, message: &str) -> Response<B> {
    let mut response = Response::new(B::from(error_body(message)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    );
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED),
    );
    response
}
