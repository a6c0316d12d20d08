//! Conditional requests (RFC 9110, section 13): what a client already has, and what it takes for
//! granted.
//!
//! The crate `headers` reads the same, but a debug assertion of its version 0.4.2 fails on a tag
//! that holds a space.

use std::time::UNIX_EPOCH;

use domain::Timestamp;
use http::{HeaderMap, HeaderName, header};

/// What the conditions of a request come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Answer as if there were none.
    Answer,
    /// The client has it already.
    NotModified,
    /// What the client takes for granted does not hold.
    Failed,
}

/// Judges a request's conditions in the standard's order (section 13.2.2). A date that is none is
/// not minded.
pub(crate) fn judge(headers: &HeaderMap, etag: &str, modified: Timestamp) -> Verdict {
    if let Some(tags) = text(headers, header::IF_MATCH) {
        if !names(&tags, etag, false) {
            return Verdict::Failed;
        }
    } else if date(headers, header::IF_UNMODIFIED_SINCE)
        .is_some_and(|seconds| modified.seconds() > seconds)
    {
        return Verdict::Failed;
    }
    if let Some(tags) = text(headers, header::IF_NONE_MATCH) {
        return if names(&tags, etag, true) {
            Verdict::NotModified
        } else {
            Verdict::Answer
        };
    }
    if date(headers, header::IF_MODIFIED_SINCE).is_some_and(|seconds| modified.seconds() <= seconds)
    {
        return Verdict::NotModified;
    }
    Verdict::Answer
}

/// Whether a range is still meant: there is no `If-Range`, or it names exactly what we have. A
/// file's bytes never change, so the date of what we have is as strong as its tag.
pub(crate) fn range_is_meant(headers: &HeaderMap, etag: &str, modified: Timestamp) -> bool {
    text(headers, header::IF_RANGE).is_none_or(|condition| {
        condition == etag || seconds(&condition) == Some(modified.seconds())
    })
}

/// What a header says; several lines of it are one list.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let lines: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect();
    (!lines.is_empty()).then(|| lines.join(", ").trim().to_owned())
}

/// The date in a header, in seconds since 1970; `None` where there is none.
fn date(headers: &HeaderMap, name: HeaderName) -> Option<i64> {
    seconds(&text(headers, name)?)
}

/// An HTTP date in any of its three forms, in seconds since 1970.
fn seconds(date: &str) -> Option<i64> {
    let since_1970 = httpdate::parse_http_date(date)
        .ok()?
        .duration_since(UNIX_EPOCH)
        .ok()?;
    i64::try_from(since_1970.as_secs()).ok()
}

/// Whether a list of tags names ours; caches weaken tags on the way, which only the weak comparison
/// forgives.
fn names(tags: &str, etag: &str, weakly: bool) -> bool {
    tags == "*"
        || tags
            .split(',')
            .map(str::trim)
            .any(|tag| tag == etag || (weakly && tag.strip_prefix("W/") == Some(etag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In milliseconds; to the second it is [`MODIFIED`].
    const MODIFIED_MS: i64 = 1_767_323_045_678;
    const MODIFIED: &str = "Fri, 02 Jan 2026 03:04:05 GMT";
    const BEFORE: &str = "Fri, 02 Jan 2026 03:04:04 GMT";
    const AFTER: &str = "Fri, 02 Jan 2026 03:04:06 GMT";

    fn headers(conditions: &[(&'static str, &str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &str)| {
            (
                HeaderName::from_static(name),
                value.parse().expect("a header"),
            )
        };
        conditions.iter().map(header).collect()
    }

    #[test]
    fn conditions_are_judged_in_order() {
        for (conditions, expected) in [
            (vec![], Verdict::Answer),
            (vec![("if-none-match", "\"a\"")], Verdict::NotModified),
            (
                vec![("if-none-match", "\"b\", W/\"a\"")],
                Verdict::NotModified,
            ),
            (vec![("if-none-match", "*")], Verdict::NotModified),
            (
                vec![("if-none-match", "\"b\""), ("if-modified-since", MODIFIED)],
                Verdict::Answer,
            ),
            (
                vec![("if-none-match", "\"é\""), ("if-modified-since", MODIFIED)],
                Verdict::Answer,
            ),
            (vec![("if-none-match", "\"a b\"")], Verdict::Answer),
            (vec![("if-match", "\"a\"")], Verdict::Answer),
            (vec![("if-match", "W/\"a\"")], Verdict::Failed),
            (vec![("if-match", "\"é\"")], Verdict::Failed),
            (
                vec![("if-match", "\"b\""), ("if-none-match", "\"a\"")],
                Verdict::Failed,
            ),
            (
                vec![("if-match", "\"a\""), ("if-unmodified-since", BEFORE)],
                Verdict::Answer,
            ),
            (
                vec![("if-unmodified-since", BEFORE), ("if-none-match", "\"a\"")],
                Verdict::Failed,
            ),
            (
                vec![("if-unmodified-since", AFTER), ("if-modified-since", AFTER)],
                Verdict::NotModified,
            ),
        ] {
            assert_eq!(
                judge(
                    &headers(&conditions),
                    "\"a\"",
                    Timestamp::from_ms(MODIFIED_MS)
                ),
                expected,
                "{conditions:?}"
            );
        }
    }

    #[test]
    fn dates_are_compared_in_any_of_their_forms_and_ignored_in_others() {
        let modified = Timestamp::from_ms(MODIFIED_MS);
        for (date, unmodified_since, modified_since) in [
            (BEFORE, Verdict::Failed, Verdict::Answer),
            (MODIFIED, Verdict::Answer, Verdict::NotModified),
            (AFTER, Verdict::Answer, Verdict::NotModified),
            (
                "Friday, 02-Jan-26 03:04:06 GMT",
                Verdict::Answer,
                Verdict::NotModified,
            ),
            ("Fri Jan  2 03:04:04 2026", Verdict::Failed, Verdict::Answer),
            ("yesterday", Verdict::Answer, Verdict::Answer),
            ("2026-01-02T03:04:06Z", Verdict::Answer, Verdict::Answer),
            (
                "Fri, 02 Jan 2026 03:04:06 GMT, Fri, 02 Jan 2026 03:04:04 GMT",
                Verdict::Answer,
                Verdict::Answer,
            ),
        ] {
            assert_eq!(
                judge(
                    &headers(&[("if-unmodified-since", date)]),
                    "\"a\"",
                    modified
                ),
                unmodified_since,
                "{date}"
            );
            assert_eq!(
                judge(&headers(&[("if-modified-since", date)]), "\"a\"", modified),
                modified_since,
                "{date}"
            );
        }
    }

    #[test]
    fn a_range_is_meant_of_exactly_what_we_have() {
        for (condition, meant) in [
            ("\"a\"", true),
            ("W/\"a\"", false),
            ("\"b\"", false),
            (MODIFIED, true),
            ("Friday, 02-Jan-26 03:04:05 GMT", true),
            (BEFORE, false),
            (AFTER, false),
            ("yesterday", false),
        ] {
            let headers = headers(&[("if-range", condition)]);
            assert_eq!(
                range_is_meant(&headers, "\"a\"", Timestamp::from_ms(MODIFIED_MS)),
                meant,
                "{condition}"
            );
        }
        assert!(range_is_meant(
            &HeaderMap::new(),
            "\"a\"",
            Timestamp::from_ms(MODIFIED_MS)
        ));
    }
}
