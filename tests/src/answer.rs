//! An answer, and what a test demands of it.

use bytes::Bytes;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked, for messages.
    pub asked: String,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// Demands a status.
    #[track_caller]
    #[expect(
        clippy::return_self_not_must_use,
        reason = "often the status is all that a test demands"
    )]
    pub fn demand(self, status: u16) -> Answer {
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(2_000)]);
        assert_eq!(self.status, status, "{}: {text}", self.asked);
        self
    }

    /// Demands 200, and gives what stands under `data`.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.demand(200).data()
    }

    /// Demands 201, and gives what stands under `data`.
    #[track_caller]
    pub fn created(self) -> Value {
        self.demand(201).data()
    }

    /// Demands a refusal in the standard body, and gives its `errors`.
    #[track_caller]
    pub fn refused(self, status: u16) -> Value {
        let answer = self.demand(status);
        let body = answer.json();
        assert!(
            body["message"].is_string() && body["errors"].is_object(),
            "{}: {body}",
            answer.asked
        );
        assert_eq!(
            body.as_object().map(serde_json::Map::len),
            Some(2),
            "{}: {body}",
            answer.asked
        );
        assert_eq!(
            answer.header("content-type"),
            "application/json",
            "{}",
            answer.asked
        );
        assert!(
            !answer.header("x-request-id").is_empty(),
            "{}",
            answer.asked
        );
        body["errors"].clone()
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{}: {error}: {:?}", self.asked, self.body))
    }

    /// A header's value; empty where it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    #[track_caller]
    fn data(self) -> Value {
        let mut body = self.json();
        assert!(body.get("data").is_some(), "{}: {body}", self.asked);
        body["data"].take()
    }
}
