//! Error responses as they are documented: status, body and headers.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::Response;

use super::rate_limits::HEADERS;

/// Headers that only some error responses have.
const CONDITIONAL_HEADERS: [&str; 5] = [
    "x-amzn-remapped-www-authenticate",
    "allow",
    "retry-after",
    "idempotent-replayed",
    "location",
];
/// Headers that scripts may always read, or that scripts do not need (Fetch standard; RFC 9110,
/// 9111).
const UNEXPOSED_HEADERS: [&str; 11] = [
    "cache-control",
    "connection",
    "content-language",
    "content-type",
    "date",
    "expires",
    "last-modified",
    "transfer-encoding",
    "vary",
    "cross-origin-resource-policy",
    "x-content-type-options",
];

pub(crate) struct ExpectedError {
    status: u16,
    message: &'static str,
    errors: Value,
    /// The conditional header of the response.
    header: Option<(&'static str, String)>,
    /// Whether the key of the caller is valid, so that the request counts against its limit.
    is_counted: bool,
}

/// Returns an error response without field errors.
pub(crate) fn error(status: u16, message: &'static str) -> ExpectedError {
    error_with(status, message, json!({}))
}

/// Returns an error response with field errors.
pub(crate) fn error_with(status: u16, message: &'static str, errors: Value) -> ExpectedError {
    ExpectedError {
        status,
        message,
        errors,
        header: None,
        is_counted: true,
    }
}

impl ExpectedError {
    pub(crate) fn with_header(self, name: &'static str, value: &str) -> ExpectedError {
        ExpectedError {
            header: Some((name, value.to_owned())),
            ..self
        }
    }

    pub(crate) fn uncounted(self) -> ExpectedError {
        ExpectedError {
            is_counted: false,
            ..self
        }
    }

    /// Asserts that a response is this error.
    #[track_caller]
    pub(crate) fn assert(&self, response: &Response) {
        let request = &response.request;
        let errors = response.clone().expect_error(self.status);
        assert_eq!(errors, self.errors, "{request}");
        assert_eq!(response.json()["message"], self.message, "{request}");

        for name in CONDITIONAL_HEADERS {
            let expected = self.header.as_ref().filter(|header| header.0 == name);
            let value = expected.map_or("", |header| header.1.as_str());
            response.expect_header(name, value);
        }
        for name in HEADERS {
            let is_present = response.headers.contains_key(name);
            assert_eq!(is_present, self.is_counted, "{request}: {name}");
        }
        assert_readable(response);
    }
}

/// Asserts that a response has a request id, and that scripts of any origin can read all headers
/// of the API.
#[track_caller]
pub(crate) fn assert_readable(response: &Response) {
    let request = &response.request;
    let id = response.header("x-request-id");
    let is_id_character = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    assert!(
        id.len() == 26 && id.bytes().all(is_id_character),
        "{request}"
    );

    let allowed_origin = response.header("access-control-allow-origin");
    assert_eq!(allowed_origin, "*", "{request}");

    let headers = &response.headers;
    let allows_credentials = headers.contains_key("access-control-allow-credentials");
    assert!(!allows_credentials, "{request}");

    let exposed = response
        .header("access-control-expose-headers")
        .to_lowercase();
    let exposed: BTreeSet<&str> = exposed.split(", ").collect();
    for name in headers.keys().map(reqwest::header::HeaderName::as_str) {
        let is_of_api = !UNEXPOSED_HEADERS.contains(&name) && !name.starts_with("access-control-");
        assert!(
            !is_of_api || exposed.contains(name),
            "{request}: scripts cannot read {name}"
        );
        let count = headers.get_all(name).iter().count();
        assert_eq!(count, 1, "{request}: {name}");
    }
}
