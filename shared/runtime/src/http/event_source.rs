//! The URI of a request as the viewer sent it.
//!
//! `lambda_http` parses the path as a URL, which resolves `..` and `%2e%2e`. The raw path of the
//! event is restored here, once, before all other layers.

use http::Uri;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// The AWS service that invokes a function with HTTP requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventSource {
    /// An API Gateway HTTP API, which percent-decodes the path of the event.
    HttpApi,
    /// A function URL behind CloudFront, which keeps the path as the viewer sent it.
    FunctionUrl,
}

/// Characters that a URI's path cannot contain.
const NOT_IN_PATH: &AsciiSet = &CONTROLS
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
/// The same for a decoded path, in which `%` is a literal character.
const NOT_IN_DECODED_PATH: &AsciiSet = &NOT_IN_PATH.add(b'%');

impl EventSource {
    /// Returns the URI for routers and handlers, from the raw path and query of an event; `None` if
    /// they are not a valid URI.
    pub fn uri(self, raw_path: &str, raw_query: &str) -> Option<Uri> {
        let escaped_characters = match self {
            EventSource::HttpApi => NOT_IN_DECODED_PATH,
            EventSource::FunctionUrl => NOT_IN_PATH,
        };
        let path = utf8_percent_encode(raw_path, escaped_characters);
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
    fn path_reaches_router_as_the_viewer_sent_it() {
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

        for (event_source, path, query, expected) in cases {
            assert_eq!(
                event_source.uri(path, query).expect(path).to_string(),
                expected
            );
        }

        assert_eq!(EventSource::HttpApi.uri("no slash", ""), None);
    }
}
