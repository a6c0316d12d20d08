//! Alarms on queues that should be empty.

use crate::model::QueueAlarm;
use crate::node::Node;
use crate::properties::{Properties, text_of};
use crate::scope::Scope;

/// The supported metric.
const METRIC: &str = "ApproximateNumberOfMessagesVisible";

pub(super) fn read(
    id: &str,
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> Option<QueueAlarm> {
    properties.required("Namespace");
    properties.fixed("Namespace", "AWS/SQS");
    properties.required("MetricName");
    properties.fixed("MetricName", METRIC);
    properties.required("ComparisonOperator");
    properties.fixed("ComparisonOperator", "GreaterThanThreshold");
    properties.required("Threshold");
    properties.fixed("Threshold", "0");
    properties.required("Dimensions");

    let queue = properties
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
    let mut properties = Properties::of(dimension, "a dimension", scope.report);
    properties.required("Name");
    properties.fixed("Name", "QueueName");
    let value = properties
        .required("Value")
        .and_then(|node| text_of(node, "Value", scope.report));
    properties.finish();
    value.map(str::to_owned)
}
