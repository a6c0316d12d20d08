//! A metric of a task.

use serde_json::Value;

/// A metric with one value, or an array of values.
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) value: Value,
}

impl Metric {
    pub(crate) fn count(name: &'static str, value: impl Into<Value>) -> Metric {
        Metric {
            name,
            unit: "Count",
            value: value.into(),
        }
    }

    /// Returns a count of failures, unless it is zero.
    pub(crate) fn failures(name: &'static str, count: u64) -> Option<Metric> {
        (count > 0).then(|| Metric::count(name, count))
    }

    pub(crate) fn bytes(name: &'static str, bytes: u64) -> Metric {
        Metric {
            name,
            unit: "Bytes",
            value: bytes.into(),
        }
    }

    pub(crate) fn milliseconds(name: &'static str, value: impl Into<Value>) -> Metric {
        Metric {
            name,
            unit: "Milliseconds",
            value: value.into(),
        }
    }
}
