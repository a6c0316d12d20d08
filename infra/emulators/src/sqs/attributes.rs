//! A queue's attributes: which there are, in what bounds, and what holds where one is not set.

use std::{collections::BTreeMap, ops::RangeInclusive};

use serde_json::{Value, json};

use super::error::SqsError;
use crate::arn;

/// A message's attributes and body together hold at most so many bytes.
pub(super) const MESSAGE_BYTES_MAX: usize = 1024 * 1024;

/// Seconds that a received message can stay hidden.
pub(super) const VISIBILITY_SECONDS: RangeInclusive<i64> = 0..=43_200;

/// Seconds that a message can be hidden at first.
pub(super) const DELAY_SECONDS: RangeInclusive<i64> = 0..=900;

/// Seconds that a receive can wait for a message.
pub(super) const WAIT_SECONDS: RangeInclusive<i64> = 0..=20;

/// Receives after which a message can go to the dead-letter queue.
const RECEIVES: RangeInclusive<i64> = 1..=1000;

/// An attribute that is a whole number.
pub(super) struct Numeric {
    pub(super) name: &'static str,
    bounds: RangeInclusive<i64>,
    default: i64,
}

pub(super) const VISIBILITY_TIMEOUT: Numeric = Numeric {
    name: "VisibilityTimeout",
    bounds: VISIBILITY_SECONDS,
    default: 30,
};
pub(super) const DELAY: Numeric = Numeric {
    name: "DelaySeconds",
    bounds: DELAY_SECONDS,
    default: 0,
};
pub(super) const RETENTION: Numeric = Numeric {
    name: "MessageRetentionPeriod",
    bounds: 60..=1_209_600,
    default: 345_600,
};
pub(super) const WAIT: Numeric = Numeric {
    name: "ReceiveMessageWaitTimeSeconds",
    bounds: WAIT_SECONDS,
    default: 0,
};
pub(super) const MESSAGE_BYTES: Numeric = Numeric {
    name: "MaximumMessageSize",
    bounds: 1024..=1_048_576,
    default: 1_048_576,
};

/// All that are numeric.
const NUMERIC: [&Numeric; 5] = [
    &VISIBILITY_TIMEOUT,
    &DELAY,
    &RETENTION,
    &WAIT,
    &MESSAGE_BYTES,
];

/// The attribute that names the dead-letter queue.
const REDRIVE_POLICY: &str = "RedrivePolicy";

/// When a message goes where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redrive {
    pub(super) dead_letter_queue: String,
    pub(super) max_receives: i64,
}

/// The attributes that are set on a queue, checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes(BTreeMap<String, String>);

impl Attributes {
    /// What a template says of a queue.
    pub(super) fn of(queue: &template::Queue) -> Attributes {
        let mut set = BTreeMap::from([
            (
                VISIBILITY_TIMEOUT.name.to_owned(),
                queue.visibility_timeout_seconds.to_string(),
            ),
            (DELAY.name.to_owned(), queue.delay_seconds.to_string()),
            (
                RETENTION.name.to_owned(),
                queue.retention_seconds.to_string(),
            ),
        ]);
        if let Some(redrive) = &queue.redrive {
            let policy = json!({
                "deadLetterTargetArn": arn::queue(&redrive.dead_letter_queue),
                "maxReceiveCount": redrive.max_receive_count,
            });
            set.insert(REDRIVE_POLICY.to_owned(), policy.to_string());
        }
        Attributes(set)
    }

    /// Checks names and values.
    pub(super) fn parse(given: BTreeMap<String, String>) -> Result<Attributes, SqsError> {
        for (name, value) in &given {
            if name == REDRIVE_POLICY {
                if !value.is_empty() {
                    redrive(value).ok_or_else(|| SqsError::invalid_attribute_value(name))?;
                }
                continue;
            }
            let numeric = NUMERIC.iter().find(|numeric| numeric.name == name);
            let numeric = numeric.ok_or_else(|| SqsError::invalid_attribute(name))?;
            let in_bounds = value
                .parse()
                .is_ok_and(|value: i64| numeric.bounds.contains(&value));
            if !in_bounds {
                return Err(SqsError::invalid_attribute_value(name));
            }
        }
        Ok(Attributes(given))
    }

    /// As they are kept in the database.
    pub(super) fn from_column(column: &str) -> serde_json::Result<Attributes> {
        serde_json::from_str(column).map(Attributes)
    }

    /// As they are kept in the database.
    pub(super) fn to_column(&self) -> String {
        json!(self.0).to_string()
    }

    /// Sets those of `others`; an empty value unsets.
    pub(super) fn set(&mut self, others: Attributes) {
        self.0.extend(others.0);
        self.0.retain(|_, value| !value.is_empty());
    }

    /// Whether each of `others` has the value here that it has there.
    pub(super) fn agree_with(&self, others: &Attributes) -> bool {
        others
            .0
            .iter()
            .all(|(name, value)| self.effective(name).as_ref() == Some(value))
    }

    /// The value that holds, in the attribute's own unit.
    pub(super) fn number(&self, numeric: &Numeric) -> i64 {
        self.0
            .get(numeric.name)
            .and_then(|value| value.parse().ok())
            .unwrap_or(numeric.default)
    }

    /// Where messages go that were received too often.
    pub(super) fn redrive(&self) -> Option<Redrive> {
        redrive(self.0.get(REDRIVE_POLICY)?)
    }

    /// All values that hold, by name.
    pub(super) fn all(&self) -> BTreeMap<String, String> {
        let names = NUMERIC
            .iter()
            .map(|numeric| numeric.name)
            .chain([REDRIVE_POLICY]);
        names
            .filter_map(|name| Some((name.to_owned(), self.effective(name)?)))
            .collect()
    }

    fn effective(&self, name: &str) -> Option<String> {
        let default = || {
            NUMERIC
                .iter()
                .find(|numeric| numeric.name == name)
                .map(|numeric| numeric.default.to_string())
        };
        self.0.get(name).cloned().or_else(default)
    }
}

/// Reads a redrive policy; the count may be a number or a string.
fn redrive(policy: &str) -> Option<Redrive> {
    let policy: Value = serde_json::from_str(policy).ok()?;
    let count = &policy["maxReceiveCount"];
    let max_receives = count.as_i64().or_else(|| count.as_str()?.parse().ok())?;
    let dead_letter_queue = policy["deadLetterTargetArn"]
        .as_str()?
        .rsplit(':')
        .next()?
        .to_owned();
    RECEIVES.contains(&max_receives).then_some(Redrive {
        dead_letter_queue,
        max_receives,
    })
}
