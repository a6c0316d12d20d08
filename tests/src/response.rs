//! HTTP responses, and what tests expect of them.

use std::ops::Range;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

/// Maximum length of a body in a panic message, in bytes.
const MAX_PRINTED_BYTES: usize = 2_000;

/// A response with its whole body.
#[derive(Clone, Debug)]
pub struct Response {
    /// Method and URL of the request, for panic messages.
    pub request: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Response {
    /// Adds the case of a test to panic messages.
    #[must_use]
    pub fn with_context(mut self, case: &str) -> Response {
        self.request = format!("{case}: {}", self.request);
        self
    }

    /// Panics unless the response has this status.
    #[track_caller]
    #[expect(
        clippy::return_self_not_must_use,
        reason = "many tests check nothing but the status"
    )]
    pub fn expect_status(self, status: u16) -> Response {
        self.expect_status_of(&[status])
    }

    /// Panics unless the response has one of these statuses.
    #[track_caller]
    #[expect(
        clippy::return_self_not_must_use,
        reason = "some tests check nothing but the status"
    )]
    pub fn expect_status_of(self, statuses: &[u16]) -> Response {
        if statuses.contains(&self.status) {
            return self;
        }

        let expected: Vec<String> = statuses.iter().map(u16::to_string).collect();
        let printed = self.body.len().min(MAX_PRINTED_BYTES);
        panic!(
            "{} returned {} instead of {}: {}",
            self.request,
            self.status,
            expected.join(" or "),
            String::from_utf8_lossy(&self.body[..printed])
        );
    }

    /// Expects 200, and returns `data` of the body.
    #[track_caller]
    pub fn expect_ok(self) -> Value {
        self.expect_status(200).data()
    }

    /// Expects 201, and returns `data` of the body.
    #[track_caller]
    pub fn expect_created(self) -> Value {
        self.expect_status(201).data()
    }

    /// Expects an error with this status and the standard body, and returns `errors` of the body.
    #[track_caller]
    pub fn expect_error(self, status: u16) -> Value {
        let response = self.expect_status(status);
        let request = &response.request;
        let body = response.json();

        assert!(
            body["message"].is_string() && body["errors"].is_object(),
            "{request}: {body}"
        );
        assert_eq!(body.as_object().map(Map::len), Some(2), "{request}: {body}");
        assert_eq!(
            response.header("content-type"),
            "application/json",
            "{request}"
        );
        assert!(!response.header("x-request-id").is_empty(), "{request}");
        body["errors"].clone()
    }

    /// Expects a 503 with the standard body, and a `Retry-After` of 1 to 3 seconds.
    #[track_caller]
    pub fn expect_busy(self) {
        let seconds = self.header("retry-after").to_owned();
        assert!(["1", "2", "3"].contains(&&*seconds), "{seconds:?}");
        self.expect_error(503);
    }

    /// Panics unless a header has this value, or is missing if the value is empty.
    #[track_caller]
    pub fn expect_header(&self, name: &str, value: impl AsRef<str>) -> &Response {
        let expected = value.as_ref();
        assert_eq!(self.header(name), expected, "{name} of {}", self.request);
        self
    }

    /// Panics unless the message of the error contains this text.
    #[track_caller]
    pub fn expect_message(&self, part: &str) -> &Response {
        let message = self.json()["message"].to_string();
        assert!(message.contains(part), "{}: {message}", self.request);
        self
    }

    /// Panics unless the body consists of these bytes.
    #[track_caller]
    pub fn expect_body(&self, bytes: impl AsRef<[u8]>) -> &Response {
        let is_expected = self.body == bytes.as_ref();
        assert!(is_expected, "{} returned another body", self.request);
        self
    }

    /// Panics unless the body is this part of a file, as its headers state.
    #[track_caller]
    pub fn expect_part(&self, file: &[u8], part: Range<usize>) -> &Response {
        let Range { start, end } = part;
        let content_range = format!("bytes {start}-{}/{}", end - 1, file.len());
        self.expect_body(&file[start..end])
            .expect_header("content-range", content_range)
            .expect_header("content-length", (end - start).to_string())
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{}: {error}: {:?}", self.request, self.body))
    }

    /// Returns the value of a header, empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    #[track_caller]
    fn data(self) -> Value {
        let mut body = self.json();
        assert!(body.get("data").is_some(), "{}: {body}", self.request);
        body["data"].take()
    }
}
