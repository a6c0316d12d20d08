//! Conditions of a request on the object that it reads, replaces or deletes.
//!
//! Invariant: a condition is evaluated under the lock under which the object is then read or
//! changed.

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
    error::{no_such_key, not_emulated, precondition_failed},
    object_rows::StoredObject,
};

/// The condition of a write on the existing object.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteCondition {
    if_match: Option<ETagCondition>,
    must_be_absent: bool,
}

impl WriteCondition {
    /// Parses `If-Match` and `If-None-Match: *`. S3 supports no other condition on writes.
    pub(super) fn from_headers(headers: &HeaderMap) -> S3Result<WriteCondition> {
        let if_match = parse(headers, &IF_MATCH)?;
        let must_be_absent = match parse(headers, &IF_NONE_MATCH)? {
            None => false,
            Some(ETagCondition::Any) => true,
            Some(ETagCondition::ETag(_)) => {
                return Err(not_emulated(
                    "If-None-Match with an ETag on writes, nor does S3",
                ));
            }
        };

        Ok(WriteCondition {
            if_match,
            must_be_absent,
        })
    }

    /// Requires an object with this ETag.
    pub(super) fn matching(if_match: Option<ETagCondition>) -> WriteCondition {
        WriteCondition {
            if_match,
            must_be_absent: false,
        }
    }

    /// Fails if the condition does not hold for the existing object.
    pub(super) fn check(&self, current: Option<&StoredObject>) -> S3Result<()> {
        if self.must_be_absent && current.is_some() {
            return Err(precondition_failed());
        }

        let Some(if_match) = &self.if_match else {
            return Ok(());
        };

        match current {
            None => Err(no_such_key()),
            Some(object) if strongly_matches(if_match, object) => Ok(()),
            Some(_) => Err(precondition_failed()),
        }
    }
}

/// The conditions of a read.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_field_names,
    reason = "the fields have the names of the headers"
)]
pub(super) struct ReadCondition {
    pub(super) if_match: Option<ETagCondition>,
    pub(super) if_none_match: Option<ETagCondition>,
    pub(super) if_modified_since: Option<Timestamp>,
    pub(super) if_unmodified_since: Option<Timestamp>,
}

/// The result of evaluating a [`ReadCondition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConditionOutcome {
    Proceed,
    NotModified,
    Failed,
}

impl ReadCondition {
    /// Evaluates the conditions. ETags take precedence over dates (RFC 9110, section 13.2.2).
    pub(super) fn evaluate(&self, object: &StoredObject) -> ConditionOutcome {
        let is_unmodified_since = |since: &Timestamp| object.last_modified() <= *since;

        let holds = match (&self.if_match, &self.if_unmodified_since) {
            (Some(condition), _) => strongly_matches(condition, object),
            (None, Some(since)) => is_unmodified_since(since),
            (None, None) => true,
        };

        if !holds {
            return ConditionOutcome::Failed;
        }

        let is_current = match (&self.if_none_match, &self.if_modified_since) {
            (Some(ETagCondition::Any), _) => true,
            (Some(ETagCondition::ETag(tag)), _) => tag.value() == object.etag,
            (None, Some(since)) => is_unmodified_since(since),
            (None, None) => false,
        };

        if is_current {
            ConditionOutcome::NotModified
        } else {
            ConditionOutcome::Proceed
        }
    }

    /// Fails if the conditions do not hold for the source of a copy.
    pub(super) fn check_source(&self, object: &StoredObject) -> S3Result<()> {
        if self.evaluate(object) == ConditionOutcome::Proceed {
            Ok(())
        } else {
            Err(precondition_failed())
        }
    }
}

fn strongly_matches(condition: &ETagCondition, object: &StoredObject) -> bool {
    match condition {
        ETagCondition::Any => true,
        ETagCondition::ETag(tag) => tag.as_strong() == Some(&object.etag),
    }
}

fn parse(headers: &HeaderMap, name: &HeaderName) -> S3Result<Option<ETagCondition>> {
    let Some(value) = headers.get(name) else {
        return Ok(None);
    };
    ETagCondition::parse_http_header(value.as_bytes())
        .map(Some)
        .map_err(|error| s3_error!(error, InvalidArgument, "Header {name} is not an ETag."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s3::{
        blob::BlobId,
        checksum::{Algorithm, Hasher},
        object_headers::ObjectHeaders,
        object_rows::timestamp,
    };

    /// Modified half a second after its `Last-Modified`.
    fn object() -> StoredObject {
        StoredObject {
            size_bytes: 0,
            etag: "a".to_owned(),
            md5: String::new(),
            modified_ms: 10_500,
            headers: ObjectHeaders::default(),
            checksum: Hasher::new(Algorithm::DEFAULT).finish().checksum,
            blob: BlobId(1),
        }
    }

    fn if_match(tag: &str) -> ReadCondition {
        ReadCondition {
            if_match: tag.parse().ok(),
            ..ReadCondition::default()
        }
    }

    fn if_none_match(tag: &str) -> ReadCondition {
        ReadCondition {
            if_none_match: tag.parse().ok(),
            ..ReadCondition::default()
        }
    }

    fn if_modified_since(seconds: i64) -> ReadCondition {
        ReadCondition {
            if_modified_since: Some(timestamp(seconds * 1000)),
            ..ReadCondition::default()
        }
    }

    fn if_unmodified_since(seconds: i64) -> ReadCondition {
        ReadCondition {
            if_unmodified_since: Some(timestamp(seconds * 1000)),
            ..ReadCondition::default()
        }
    }

    #[test]
    fn single_conditions_are_evaluated_by_etag_or_whole_seconds() {
        for (condition, expected) in [
            (ReadCondition::default(), ConditionOutcome::Proceed),
            (if_match("\"b\""), ConditionOutcome::Failed),
            (if_match("W/\"a\""), ConditionOutcome::Failed),
            (if_unmodified_since(9), ConditionOutcome::Failed),
            (if_unmodified_since(10), ConditionOutcome::Proceed),
            (if_none_match("W/\"a\""), ConditionOutcome::NotModified),
            (if_modified_since(10), ConditionOutcome::NotModified),
            (if_modified_since(9), ConditionOutcome::Proceed),
        ] {
            assert_eq!(condition.evaluate(&object()), expected, "{condition:?}");
        }
    }

    #[test]
    fn etags_take_precedence_over_dates() {
        let matching_but_modified = ReadCondition {
            if_match: if_match("\"a\"").if_match,
            ..if_unmodified_since(1)
        };
        let differing_but_unmodified = ReadCondition {
            if_none_match: if_none_match("\"b\"").if_none_match,
            ..if_modified_since(99)
        };

        for condition in [matching_but_modified, differing_but_unmodified] {
            let outcome = condition.evaluate(&object());
            assert_eq!(outcome, ConditionOutcome::Proceed, "{condition:?}");
        }
    }
}
