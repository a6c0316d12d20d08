//! Conditions of a request on the object that it reads, replaces or deletes.
//!
//! Invariant: a condition is evaluated under the lock under which the object is then read or
//! changed.

use http::{
    HeaderMap, HeaderValue,
    header::{IF_MATCH, IF_NONE_MATCH},
};
use s3s::{
    S3Result,
    dto::{ETagCondition, Timestamp},
};

use super::{
    error::{not_emulated, precondition_failed},
    object_rows::StoredObject,
};

/// The condition of a write on the existing object.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriteCondition {
    must_be_absent: bool,
}

impl WriteCondition {
    /// Parses `If-None-Match: *`.
    pub(super) fn from_headers(headers: &HeaderMap) -> S3Result<WriteCondition> {
        if headers.contains_key(IF_MATCH) {
            return Err(not_emulated("If-Match on writes"));
        }
        match headers.get(IF_NONE_MATCH).map(HeaderValue::as_bytes) {
            Some(b"*") => Ok(WriteCondition {
                must_be_absent: true,
            }),
            Some(_) => Err(not_emulated(
                "If-None-Match with an ETag on writes, nor does S3",
            )),
            None => Ok(WriteCondition {
                must_be_absent: false,
            }),
        }
    }

    /// Fails if the condition does not hold for the existing object.
    pub(super) fn check(self, current: Option<&StoredObject>) -> S3Result<()> {
        if self.must_be_absent && current.is_some() {
            return Err(precondition_failed());
        }
        Ok(())
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
}

fn strongly_matches(condition: &ETagCondition, object: &StoredObject) -> bool {
    match condition {
        ETagCondition::Any => true,
        ETagCondition::ETag(tag) => tag.as_strong() == Some(&object.etag),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        ConditionOutcome::{Failed, NotModified, Proceed},
        *,
    };
    use crate::s3::{blob::BlobId, object_headers::ObjectHeaders, object_rows::timestamp};

    #[test]
    fn etags_take_precedence_over_dates() {
        let object = StoredObject {
            size_bytes: 0,
            etag: "a".to_owned(),
            md5: String::new(),
            // Half a second after its `Last-Modified`.
            modified_ms: 10_500,
            headers: ObjectHeaders::default(),
            sha256: None,
            blob: BlobId(1),
        };

        // If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since.
        for (matching, none_matching, modified, unmodified, expected) in [
            (None, None, None, None, Proceed),
            (Some("\"b\""), None, None, None, Failed),
            (Some("W/\"a\""), None, None, None, Failed),
            (None, None, None, Some(9), Failed),
            (None, None, None, Some(10), Proceed),
            (None, Some("W/\"a\""), None, None, NotModified),
            (None, Some("*"), None, None, NotModified),
            (None, None, Some(10), None, NotModified),
            (None, None, Some(9), None, Proceed),
            (Some("\"a\""), None, None, Some(1), Proceed),
            (None, Some("\"b\""), Some(99), None, Proceed),
        ] {
            let etag = |text: Option<&str>| text.and_then(|text| text.parse().ok());
            let date = |seconds: Option<i64>| seconds.map(|seconds| timestamp(seconds * 1000));
            let condition = ReadCondition {
                if_match: etag(matching),
                if_none_match: etag(none_matching),
                if_modified_since: date(modified),
                if_unmodified_since: date(unmodified),
            };
            assert_eq!(condition.evaluate(&object), expected, "{condition:?}");
        }
    }
}
