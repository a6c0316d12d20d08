//! Conditional requests (RFC 9110, section 13).
//!
//! The crate `headers` parses the same headers, but a debug assertion in version 0.4.2 fails on an
//! entity tag with a space.

use std::time::UNIX_EPOCH;

use domain::env::Timestamp;
use http::{HeaderMap, HeaderName, header};

/// Matches every entity tag.
const ANY: &str = "*";

/// Result of a request's conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    Passed,
    /// The client has the current file (304).
    NotModified,
    /// The file is not the one that the client requires (412).
    Failed,
}

/// The validators of a file or another resource.
#[derive(Clone, Copy)]
pub struct Validators<'a> {
    pub etag: &'a str,
    /// Time of the last change; `None` if it is unknown. Conditions with dates are then ignored
    /// (RFC 9110, sections 13.1.3 and 13.1.4).
    pub last_modified: Option<Timestamp>,
}

impl Validators<'_> {
    /// Evaluates the conditions of a request in the order of RFC 9110, section 13.2.2. Invalid
    /// dates are ignored.
    pub fn evaluate(&self, headers: &HeaderMap) -> Precondition {
        if let Some(tags) = header_text(headers, header::IF_MATCH) {
            if !self.matches_any(&tags, Comparison::Strong) {
                return Precondition::Failed;
            }
        } else if self.is_modified_since(headers, header::IF_UNMODIFIED_SINCE) == Some(true) {
            return Precondition::Failed;
        }

        if let Some(tags) = header_text(headers, header::IF_NONE_MATCH) {
            return if self.matches_any(&tags, Comparison::Weak) {
                Precondition::NotModified
            } else {
                Precondition::Passed
            };
        }
        if self.is_modified_since(headers, header::IF_MODIFIED_SINCE) == Some(false) {
            return Precondition::NotModified;
        }
        Precondition::Passed
    }

    /// Whether `If-None-Match` names the entity tag, so that the client received it before. `*`
    /// does not.
    pub fn are_named(&self, headers: &HeaderMap) -> bool {
        header_text(headers, header::IF_NONE_MATCH)
            .is_some_and(|tags| tags != ANY && self.matches_any(&tags, Comparison::Weak))
    }

    /// Whether `Range` applies: there is no `If-Range`, or it matches the file. The bytes of a file
    /// never change, so its date is a strong validator.
    pub fn range_applies(&self, headers: &HeaderMap) -> bool {
        let Some(condition) = header_text(headers, header::IF_RANGE) else {
            return true;
        };
        let modified_seconds = self.last_modified.map(Timestamp::seconds);
        let is_date = modified_seconds.is_some() && parse_date(&condition) == modified_seconds;
        condition == self.etag || is_date
    }

    /// Whether the file was modified after the date of a header; `None` if one of the dates is
    /// missing.
    fn is_modified_since(&self, headers: &HeaderMap, name: HeaderName) -> Option<bool> {
        let since_seconds = header_date(headers, name)?;
        Some(self.last_modified?.seconds() > since_seconds)
    }

    fn matches_any(&self, tags: &str, comparison: Comparison) -> bool {
        let matches = |tag: &str| {
            let is_weak_match =
                comparison == Comparison::Weak && tag.strip_prefix("W/") == Some(self.etag);
            tag == self.etag || is_weak_match
        };
        tags == ANY || tags.split(',').map(str::trim).any(matches)
    }
}

/// Comparison of entity tags (RFC 9110, section 8.8.3.2).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Strong,
    Weak,
}

/// Returns the lines of a header, joined to one list.
fn header_text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let lines: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect();
    (!lines.is_empty()).then(|| lines.join(", ").trim().to_owned())
}

/// Returns the date of a header in seconds since 1970; `None` if it is missing or invalid.
fn header_date(headers: &HeaderMap, name: HeaderName) -> Option<i64> {
    parse_date(&header_text(headers, name)?)
}

/// Parses an HTTP date of any of the three formats, in seconds since 1970.
fn parse_date(text: &str) -> Option<i64> {
    let date = httpdate::parse_http_date(text).ok()?;
    let since_1970 = date.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since_1970.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Date of [`file`], which is modified 678 ms later.
    const MODIFIED: &str = "Fri, 02 Jan 2026 03:04:05 GMT";
    const BEFORE: &str = "Fri, 02 Jan 2026 03:04:04 GMT";
    const AFTER: &str = "Fri, 02 Jan 2026 03:04:06 GMT";

    fn file() -> Validators<'static> {
        Validators {
            etag: "\"a\"",
            last_modified: Some(Timestamp::from_ms(1_767_323_045_678)),
        }
    }

    /// Returns [`file`] without a date.
    fn undated_file() -> Validators<'static> {
        Validators {
            last_modified: None,
            ..file()
        }
    }

    fn headers(conditions: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in conditions {
            headers.insert(*name, value.parse().expect("a header"));
        }
        headers
    }

    #[test]
    fn conditions_are_evaluated_in_order() {
        let cases: [(&[(&'static str, &str)], Precondition); 14] = [
            (&[], Precondition::Passed),
            (&[("if-none-match", "\"a\"")], Precondition::NotModified),
            (
                &[("if-none-match", "\"b\", W/\"a\"")],
                Precondition::NotModified,
            ),
            (&[("if-none-match", "*")], Precondition::NotModified),
            (
                &[("if-none-match", "\"b\""), ("if-modified-since", MODIFIED)],
                Precondition::Passed,
            ),
            (
                &[("if-none-match", "\"é\""), ("if-modified-since", MODIFIED)],
                Precondition::Passed,
            ),
            (&[("if-none-match", "\"a b\"")], Precondition::Passed),
            (&[("if-match", "\"a\"")], Precondition::Passed),
            (&[("if-match", "W/\"a\"")], Precondition::Failed),
            (&[("if-match", "\"é\"")], Precondition::Failed),
            (
                &[("if-match", "\"b\""), ("if-none-match", "\"a\"")],
                Precondition::Failed,
            ),
            (
                &[("if-match", "\"a\""), ("if-unmodified-since", BEFORE)],
                Precondition::Passed,
            ),
            (
                &[("if-unmodified-since", BEFORE), ("if-none-match", "\"a\"")],
                Precondition::Failed,
            ),
            (
                &[("if-unmodified-since", AFTER), ("if-modified-since", AFTER)],
                Precondition::NotModified,
            ),
        ];

        for (conditions, expected) in cases {
            let precondition = file().evaluate(&headers(conditions));
            assert_eq!(precondition, expected, "{conditions:?}");
        }
    }

    #[test]
    fn dates_of_all_formats_are_compared_and_others_ignored() {
        for (date, unmodified_since, modified_since) in [
            (BEFORE, Precondition::Failed, Precondition::Passed),
            (MODIFIED, Precondition::Passed, Precondition::NotModified),
            (AFTER, Precondition::Passed, Precondition::NotModified),
            (
                "Friday, 02-Jan-26 03:04:06 GMT",
                Precondition::Passed,
                Precondition::NotModified,
            ),
            (
                "Fri Jan  2 03:04:04 2026",
                Precondition::Failed,
                Precondition::Passed,
            ),
            ("yesterday", Precondition::Passed, Precondition::Passed),
            (
                "2026-01-02T03:04:06Z",
                Precondition::Passed,
                Precondition::Passed,
            ),
            (
                "Fri, 02 Jan 2026 03:04:06 GMT, Fri, 02 Jan 2026 03:04:04 GMT",
                Precondition::Passed,
                Precondition::Passed,
            ),
        ] {
            let result = file().evaluate(&headers(&[("if-unmodified-since", date)]));
            assert_eq!(result, unmodified_since, "{date}");

            let result = file().evaluate(&headers(&[("if-modified-since", date)]));
            assert_eq!(result, modified_since, "{date}");
        }
    }

    #[test]
    fn client_that_names_the_entity_tag_received_it() {
        for (tags, expected) in [
            ("\"a\"", true),
            ("\"b\", W/\"a\"", true),
            ("\"b\"", false),
            ("*", false),
        ] {
            let headers = headers(&[("if-none-match", tags)]);
            assert_eq!(file().are_named(&headers), expected, "{tags}");
        }
        assert!(!file().are_named(&HeaderMap::new()));
    }

    #[test]
    fn dates_are_ignored_without_a_date_of_the_file() {
        for date in [BEFORE, MODIFIED, AFTER] {
            for name in ["if-modified-since", "if-unmodified-since"] {
                let result = undated_file().evaluate(&headers(&[(name, date)]));
                assert_eq!(result, Precondition::Passed, "{name}: {date}");
            }
            let if_range = headers(&[("if-range", date)]);
            assert!(!undated_file().range_applies(&if_range), "{date}");
        }
        assert!(!undated_file().range_applies(&headers(&[("if-range", "yesterday")])));

        let unchanged = headers(&[("if-none-match", "\"a\"")]);
        assert_eq!(
            undated_file().evaluate(&unchanged),
            Precondition::NotModified
        );
    }

    #[test]
    fn range_applies_if_the_file_matches() {
        assert!(file().range_applies(&HeaderMap::new()));
        for (condition, expected) in [
            ("\"a\"", true),
            ("W/\"a\"", false),
            ("\"b\"", false),
            (MODIFIED, true),
            ("Friday, 02-Jan-26 03:04:05 GMT", true),
            (BEFORE, false),
            (AFTER, false),
            ("yesterday", false),
        ] {
            let applies = file().range_applies(&headers(&[("if-range", condition)]));
            assert_eq!(applies, expected, "{condition}");
        }
    }
}
