//! Conditional requests (RFC 9110, section 13): what a client already has, and what it takes for granted.

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

/// Judges a request's conditions in the standard's order.
pub(crate) fn judge(headers: &HeaderMap, etag: &str, modified: Timestamp) -> Verdict {
    let modified = modified.http_date();
    if let Some(tags) = text(headers, header::IF_MATCH) {
        if !names(&tags, etag, false) {
            return Verdict::Failed;
        }
    } else if text(headers, header::IF_UNMODIFIED_SINCE).is_some_and(|date| date != modified) {
        return Verdict::Failed;
    }
    if let Some(tags) = text(headers, header::IF_NONE_MATCH) {
        return if names(&tags, etag, true) { Verdict::NotModified } else { Verdict::Answer };
    }
    // A file never changes: the one date it ever had is the only one that says "I have it".
    if text(headers, header::IF_MODIFIED_SINCE).is_some_and(|date| date == modified) {
        return Verdict::NotModified;
    }
    Verdict::Answer
}

/// Whether a range is still meant: there is no `If-Range`, or it names what we have.
pub(crate) fn range_is_meant(headers: &HeaderMap, etag: &str, modified: Timestamp) -> bool {
    text(headers, header::IF_RANGE).is_none_or(|condition| condition == etag || condition == modified.http_date())
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let values: Vec<&str> = headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
    (!values.is_empty()).then(|| values.join(", ").trim().to_owned())
}

/// Whether a list of tags names ours; caches weaken tags on the way, which only the weak comparison forgives.
fn names(tags: &str, etag: &str, weakly: bool) -> bool {
    tags == "*"
        || tags.split(',').map(str::trim).any(|tag| tag == etag || (weakly && tag.strip_prefix("W/") == Some(etag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_judged_in_order() {
        let modified = Timestamp::from_ms(1_767_323_045_678);
        let date = "Fri, 02 Jan 2026 03:04:05 GMT";
        let other = "Fri, 02 Jan 2026 03:04:06 GMT";
        for (conditions, expected) in [
            (vec![], Verdict::Answer),
            (vec![("if-none-match", "\"a\"")], Verdict::NotModified),
            (vec![("if-none-match", "\"b\", W/\"a\"")], Verdict::NotModified),
            (vec![("if-none-match", "*")], Verdict::NotModified),
            (vec![("if-none-match", "\"b\""), ("if-modified-since", date)], Verdict::Answer),
            (vec![("if-modified-since", date)], Verdict::NotModified),
            (vec![("if-match", "\"a\"")], Verdict::Answer),
            (vec![("if-match", "W/\"a\"")], Verdict::Failed),
            (vec![("if-match", "\"b\""), ("if-none-match", "\"a\"")], Verdict::Failed),
            (vec![("if-unmodified-since", date)], Verdict::Answer),
            (vec![("if-unmodified-since", other)], Verdict::Failed),
        ] {
            let headers = conditions
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), value.parse().expect("a header")));
            assert_eq!(judge(&headers.collect(), "\"a\"", modified), expected, "{conditions:?}");
        }
    }
}
