//! Alarms on queues that should be empty.

use crate::fields::{Fields, text_of};
use crate::model::QueueAlarm;
use crate::node::Node;
use crate::scope::Scope;

/// The one metric that is understood.
const METRIC: &str = "ApproximateNumberOfMessagesVisible";

pub(super) fn read(id: &str, fields: &mut Fields<'_, '_>, scope: &Scope<'_>) -> Option<QueueAlarm> {
    fields.required("Namespace");
    fields.fixed("Namespace", "AWS/SQS");
    fields.required("MetricName");
    fields.fixed("MetricName", METRIC);
    fields.required("ComparisonOperator");
    fields.fixed("ComparisonOperator", "GreaterThanThreshold");
    fields.required("Threshold");
    fields.fixed("Threshold", "0");
    fields.required("Dimensions");
    let queue = fields
        .items("Dimensions")
        .iter()
        .find_map(|dimension| queue(dimension, scope))?;
    Some(QueueAlarm {
        logical_id: id.to_owned(),
        queue,
    })
}

/// Returns the physical name of the queue that a dimension names.
fn queue(dimension: &Node, scope: &Scope<'_>) -> Option<String> {
    let mut fields = Fields::of(dimension, "a dimension", scope.report);
    fields.required("Name");
    fields.fixed("Name", "QueueName");
    let value = fields
        .required("Value")
        .and_then(|node| text_of(node, "Value", scope.report));
    fields.finish();
    value.map(str::to_owned)
}
