//! Attributes of a queue: names, bounds and defaults.

use std::{collections::BTreeMap, ops::RangeInclusive};

use serde_json::{Value, json};

use super::error::SqsError;
use crate::arn;

/// Maximum size of a message body with its attributes, in bytes.
pub(super) const MESSAGE_BYTES_MAX: usize = 1024 * 1024;

/// Visibility timeout, in seconds.
pub(super) const VISIBILITY_SECONDS: RangeInclusive<i64> = 0..=43_200;

/// Delivery delay, in seconds.
pub(super) const DELAY_SECONDS: RangeInclusive<i64> = 0..=900;

/// Wait time of a receive, in seconds.
pub(super) const WAIT_SECONDS: RangeInclusive<i64> = 0..=20;

/// Maximum receives of a redrive policy.
const MAX_RECEIVES: RangeInclusive<i64> = 1..=1000;

/// An attribute whose value is an integer.
pub(super) struct NumericAttribute {
    pub(super) name: &'static str,
    bounds: RangeInclusive<i64>,
    default: i64,
}

pub(super) const VISIBILITY_TIMEOUT: NumericAttribute = NumericAttribute {
    name: "VisibilityTimeout",
    bounds: VISIBILITY_SECONDS,
    default: 30,
};
pub(super) const DELAY: NumericAttribute = NumericAttribute {
    name: "DelaySeconds",
    bounds: DELAY_SECONDS,
    default: 0,
};
pub(super) const RETENTION: NumericAttribute = NumericAttribute {
    name: "MessageRetentionPeriod",
    bounds: 60..=1_209_600,
    default: 345_600,
};
pub(super) const WAIT: NumericAttribute = NumericAttribute {
    name: "ReceiveMessageWaitTimeSeconds",
    bounds: WAIT_SECONDS,
    default: 0,
};
pub(super) const MESSAGE_BYTES: NumericAttribute = NumericAttribute {
    name: "MaximumMessageSize",
    bounds: 1024..=1_048_576,
    default: 1_048_576,
};

const NUMERIC_ATTRIBUTES: [&NumericAttribute; 5] = [
    &VISIBILITY_TIMEOUT,
    &DELAY,
    &RETENTION,
    &WAIT,
    &MESSAGE_BYTES,
];

impl NumericAttribute {
    fn find(name: &str) -> Option<&'static NumericAttribute> {
        NUMERIC_ATTRIBUTES
            .into_iter()
            .find(|attribute| attribute.name == name)
    }
}

/// The attribute that names the dead-letter queue.
const REDRIVE_POLICY: &str = "RedrivePolicy";

/// When messages move to which dead-letter queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RedrivePolicy {
    pub(super) dead_letter_queue: String,
    pub(super) max_receives: i64,
}

impl RedrivePolicy {
    /// Parses the JSON of the attribute. AWS accepts the count as a number or a string.
    fn parse(json: &str) -> Option<RedrivePolicy> {
        let policy: Value = serde_json::from_str(json).ok()?;
        let count = &policy["maxReceiveCount"];
        let max_receives = count.as_i64().or_else(|| count.as_str()?.parse().ok())?;
        if !MAX_RECEIVES.contains(&max_receives) {
            return None;
        }

        let target_arn = policy["deadLetterTargetArn"].as_str()?;
        Some(RedrivePolicy {
            dead_letter_queue: target_arn.rsplit(':').next()?.to_owned(),
            max_receives,
        })
    }
}

/// The attributes that are set on a queue. Names and values are valid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct QueueAttributes(BTreeMap<String, String>);

impl QueueAttributes {
    /// Returns the attributes of a queue in a template.
    pub(super) fn of(queue: &sam_template::QueueSpec) -> QueueAttributes {
        let mut attributes = BTreeMap::new();
        for (attribute, seconds) in [
            (&VISIBILITY_TIMEOUT, queue.visibility_timeout_seconds),
            (&RETENTION, queue.retention_seconds),
        ] {
            attributes.insert(attribute.name.to_owned(), seconds.to_string());
        }

        if let Some(redrive) = &queue.redrive {
            let policy = json!({
                "deadLetterTargetArn": arn::queue(&redrive.dead_letter_queue),
                "maxReceiveCount": redrive.max_receive_count,
            });
            attributes.insert(REDRIVE_POLICY.to_owned(), policy.to_string());
        }

        QueueAttributes(attributes)
    }

    /// Validates names and values.
    pub(super) fn parse(attributes: BTreeMap<String, String>) -> Result<QueueAttributes, SqsError> {
        for (name, value) in &attributes {
            let is_valid = if name == REDRIVE_POLICY {
                value.is_empty() || RedrivePolicy::parse(value).is_some()
            } else {
                let attribute = NumericAttribute::find(name)
                    .ok_or_else(|| SqsError::invalid_attribute(name))?;
                value
                    .parse()
                    .is_ok_and(|number: i64| attribute.bounds.contains(&number))
            };
            if !is_valid {
                return Err(SqsError::invalid_attribute_value(name));
            }
        }

        Ok(QueueAttributes(attributes))
    }

    /// Parses the database column.
    pub(super) fn from_column(column: &str) -> serde_json::Result<QueueAttributes> {
        serde_json::from_str(column).map(QueueAttributes)
    }

    /// Formats the database column.
    pub(super) fn to_column(&self) -> String {
        json!(self.0).to_string()
    }

    /// Sets the attributes of `others`. An empty value unsets an attribute.
    pub(super) fn set(&mut self, others: QueueAttributes) {
        self.0.extend(others.0);
        self.0.retain(|_, value| !value.is_empty());
    }

    /// Returns whether each attribute of `others` has the same effective value here.
    pub(super) fn agree_with(&self, others: &QueueAttributes) -> bool {
        others
            .0
            .iter()
            .all(|(name, value)| self.effective(name).as_ref() == Some(value))
    }

    /// Returns the effective value of a numeric attribute, in its own unit.
    pub(super) fn number(&self, attribute: &NumericAttribute) -> i64 {
        self.0
            .get(attribute.name)
            .and_then(|value| value.parse().ok())
            .unwrap_or(attribute.default)
    }

    pub(super) fn redrive_policy(&self) -> Option<RedrivePolicy> {
        RedrivePolicy::parse(self.0.get(REDRIVE_POLICY)?)
    }

    /// Returns all effective values by name.
    pub(super) fn all(&self) -> BTreeMap<String, String> {
        NUMERIC_ATTRIBUTES
            .iter()
            .map(|attribute| attribute.name)
            .chain([REDRIVE_POLICY])
            .filter_map(|name| Some((name.to_owned(), self.effective(name)?)))
            .collect()
    }

    fn effective(&self, name: &str) -> Option<String> {
        let default = || Some(NumericAttribute::find(name)?.default.to_string());
        self.0.get(name).cloned().or_else(default)
    }
}
