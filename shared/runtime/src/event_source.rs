//! The address of a request as its front saw it.
//!
//! `lambda_http` parses a path as a URL, which resolves `..` and `%2e%2e` before a function sees
//! them. The raw path that the event carries is put back here, once, outside of everything else.

use http::Uri;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What stands before a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventSource {
    /// An API Gateway HTTP API, which decodes the path it puts into the event.
    HttpApi,
    /// A function URL behind CloudFront, which keeps the path as the viewer sent it.
    FunctionUrl,
}

/// What a path of a URI cannot hold as it is.
const NOT_IN_A_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'\\')
    .add(b'^')
    .add(b'|');
/// The same of a path that was decoded, in which a `%` stands for itself.
const NOT_IN_A_DECODED_PATH: &AsciiSet = &NOT_IN_A_PATH.add(b'%');

impl EventSource {
    /// The URI that routes and handlers see, from the event's raw path and query. `None` where they
    /// are not a URI at all.
    pub fn uri(self, raw_path: &str, raw_query: &str) -> Option<Uri> {
        let unsafe_characters = match self {
            EventSource::HttpApi => NOT_IN_A_DECODED_PATH,
            EventSource::FunctionUrl => NOT_IN_A_PATH,
        };
        let path = utf8_percent_encode(raw_path, unsafe_characters);
        let text = if raw_query.is_empty() {
            path.to_string()
        } else {
            format!("{path}?{raw_query}")
        };
        text.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reaches_the_routes_as_the_viewer_sent_it() {
        let cases = [
            (
                EventSource::FunctionUrl,
                "/a/%2e%2e/b",
                "w=1",
                "/a/%2e%2e/b?w=1",
            ),
            (EventSource::FunctionUrl, "/a/../b", "", "/a/../b"),
            (EventSource::FunctionUrl, "/a//b", "", "/a//b"),
            (
                EventSource::HttpApi,
                "/files/100% é ?",
                "",
                "/files/100%25%20%C3%A9%20%3F",
            ),
            (EventSource::HttpApi, "/files/a", "x=%20", "/files/a?x=%20"),
        ];
        for (front, path, query, expected) in cases {
            assert_eq!(front.uri(path, query).expect(path).to_string(), expected);
        }
        assert_eq!(EventSource::HttpApi.uri("no slash", ""), None);
    }
}
