//! Conditions that a request sets on the object it reads, replaces or deletes.
//!
//! Invariant: a condition is judged under the lock under which the object is then read or changed.

use http::{
    HeaderMap, HeaderName,
    header::{IF_MATCH, IF_NONE_MATCH},
};
use s3s::{
    S3Result,
    dto::{ETagCondition, Timestamp},
    s3_error,
};

use super::{
    fault::{no_such_key, not_emulated, precondition_failed},
    rows::Object,
};

/// What a write demands of the object under its key.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteCondition {
    matches: Option<ETagCondition>,
    absent: bool,
}

impl WriteCondition {
    /// Reads `If-Match` and `If-None-Match: *`, which is all that S3 offers to writes.
    pub(super) fn from_headers(headers: &HeaderMap) -> S3Result<WriteCondition> {
        let matches = parse(headers, &IF_MATCH)?;
        let absent = match parse(headers, &IF_NONE_MATCH)? {
            None => false,
            Some(ETagCondition::Any) => true,
            Some(ETagCondition::ETag(_)) => {
                return Err(not_emulated(
                    "If-None-Match with an ETag on writes, nor does S3",
                ));
            }
        };
        Ok(WriteCondition { matches, absent })
    }

    /// That the object has this tag.
    pub(super) fn matching(tag: Option<ETagCondition>) -> WriteCondition {
        WriteCondition {
            matches: tag,
            absent: false,
        }
    }

    /// Judges it by the object that is there.
    pub(super) fn check(&self, current: Option<&Object>) -> S3Result<()> {
        if self.absent && current.is_some() {
            return Err(precondition_failed());
        }
        match (&self.matches, current) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(no_such_key()),
            (Some(condition), Some(object)) if strongly_matches(condition, object) => Ok(()),
            (Some(_), Some(_)) => Err(precondition_failed()),
        }
    }
}

/// What a read demands of the object.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadCondition {
    pub(super) matches: Option<ETagCondition>,
    pub(super) differs: Option<ETagCondition>,
    pub(super) modified_since: Option<Timestamp>,
    pub(super) unmodified_since: Option<Timestamp>,
}

/// What becomes of a conditional read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Proceed,
    NotModified,
    Failed,
}

impl ReadCondition {
    /// Judges it by the object that is there. Tags go before dates, as in RFC 9110.
    pub(super) fn judge(&self, object: &Object) -> Verdict {
        let holds = match (&self.matches, &self.unmodified_since) {
            (Some(condition), _) => strongly_matches(condition, object),
            (None, Some(since)) => object.last_modified() <= *since,
            (None, None) => true,
        };
        let same = match (&self.differs, &self.modified_since) {
            (Some(ETagCondition::Any), _) => true,
            (Some(ETagCondition::ETag(tag)), _) => tag.value() == object.etag,
            (None, Some(since)) => object.last_modified() <= *since,
            (None, None) => false,
        };
        match (holds, same) {
            (false, _) => Verdict::Failed,
            (true, true) => Verdict::NotModified,
            (true, false) => Verdict::Proceed,
        }
    }

    /// Judges it for the source of a copy, which is taken or refused.
    pub(super) fn check_source(&self, object: &Object) -> S3Result<()> {
        if self.judge(object) == Verdict::Proceed {
            Ok(())
        } else {
            Err(precondition_failed())
        }
    }
}

fn strongly_matches(condition: &ETagCondition, object: &Object) -> bool {
    match condition {
        ETagCondition::Any => true,
        ETagCondition::ETag(tag) => tag.as_strong() == Some(&object.etag),
    }
}

fn parse(headers: &HeaderMap, name: &HeaderName) -> S3Result<Option<ETagCondition>> {
    let Some(value) = headers.get(name) else {
        return Ok(None);
    };
    let condition = ETagCondition::parse_http_header(value.as_bytes());
    condition
        .map(Some)
        .map_err(|error| s3_error!(error, InvalidArgument, "Header {name} is not an ETag."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s3::{
        attributes::Attributes,
        blobs::BlobId,
        checksum::{Algorithm, Hasher},
    };

    fn object() -> Object {
        let sums = Hasher::new(Algorithm::DEFAULT).finish();
        // Changed half a second after the date that its header shows.
        Object {
            size_bytes: 0,
            etag: "a".to_owned(),
            md5: String::new(),
            modified_ms: 10_500,
            attributes: Attributes::default(),
            checksum: sums.checksum,
            blob: BlobId(1),
        }
    }

    fn tag(value: &str) -> Option<ETagCondition> {
        value.parse().ok()
    }

    #[expect(clippy::unnecessary_wraps, reason = "the cases read better without")]
    fn at(seconds: i64) -> Option<Timestamp> {
        Some(crate::s3::rows::timestamp(seconds * 1000))
    }

    #[test]
    fn tags_go_before_dates() {
        let cases = [
            (ReadCondition::default(), Verdict::Proceed),
            (
                ReadCondition {
                    matches: tag("\"b\""),
                    ..Default::default()
                },
                Verdict::Failed,
            ),
            (
                ReadCondition {
                    matches: tag("W/\"a\""),
                    ..Default::default()
                },
                Verdict::Failed,
            ),
            (
                ReadCondition {
                    matches: tag("\"a\""),
                    unmodified_since: at(1),
                    ..Default::default()
                },
                Verdict::Proceed,
            ),
            (
                ReadCondition {
                    unmodified_since: at(9),
                    ..Default::default()
                },
                Verdict::Failed,
            ),
            (
                ReadCondition {
                    unmodified_since: at(10),
                    ..Default::default()
                },
                Verdict::Proceed,
            ),
            (
                ReadCondition {
                    differs: tag("W/\"a\""),
                    ..Default::default()
                },
                Verdict::NotModified,
            ),
            (
                ReadCondition {
                    differs: tag("\"b\""),
                    modified_since: at(99),
                    ..Default::default()
                },
                Verdict::Proceed,
            ),
            (
                ReadCondition {
                    modified_since: at(10),
                    ..Default::default()
                },
                Verdict::NotModified,
            ),
            (
                ReadCondition {
                    modified_since: at(9),
                    ..Default::default()
                },
                Verdict::Proceed,
            ),
        ];
        for (condition, verdict) in cases {
            assert_eq!(condition.judge(&object()), verdict, "{condition:?}");
        }
    }
}
