//! SQS standard queues.

use std::ops::RangeInclusive;

use crate::catalog::Kind;
use crate::model::{QueueSpec, Redrive};
use crate::node::Node;
use crate::properties::Properties;
use crate::resource::Resource;
use crate::scope::Scope;

const VISIBILITY_TIMEOUT_SECONDS: RangeInclusive<u32> = 0..=43_200;
const DELAY_SECONDS: RangeInclusive<u32> = 0..=900;
const RETENTION_SECONDS: RangeInclusive<u32> = 60..=1_209_600;
const RECEIVE_WAIT_SECONDS: RangeInclusive<u32> = 0..=20;
const MAXIMUM_MESSAGE_BYTES: RangeInclusive<u32> = 1024..=1_048_576;
const MAX_RECEIVE_COUNT: RangeInclusive<u32> = 1..=1000;

/// The default of SQS.
const DEFAULT_VISIBILITY_TIMEOUT_SECONDS: u32 = 30;

/// The default of SQS: four days.
const DEFAULT_RETENTION_SECONDS: u32 = 345_600;

pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> QueueSpec {
    // Validated, but without an effect: receivers specify their wait time, and messages are small.
    properties.number("ReceiveMessageWaitTimeSeconds", &RECEIVE_WAIT_SECONDS);
    properties.number("MaximumMessageSize", &MAXIMUM_MESSAGE_BYTES);

    QueueSpec {
        logical_id: id.to_owned(),
        name: resource.physical_name.clone(),
        visibility_timeout_seconds: properties
            .number("VisibilityTimeout", &VISIBILITY_TIMEOUT_SECONDS)
            .unwrap_or(DEFAULT_VISIBILITY_TIMEOUT_SECONDS),
        delay_seconds: properties
            .number("DelaySeconds", &DELAY_SECONDS)
            .unwrap_or(0),
        retention_seconds: properties
            .number("MessageRetentionPeriod", &RETENTION_SECONDS)
            .unwrap_or(DEFAULT_RETENTION_SECONDS),
        redrive: properties
            .take("RedrivePolicy")
            .and_then(|node| redrive(node, scope)),
    }
}

fn redrive(node: &Node, scope: &Scope<'_>) -> Option<Redrive> {
    let mut properties = Properties::of(node, "a redrive policy", scope.report);
    let dead_letter_queue = properties
        .required("deadLetterTargetArn")
        .and_then(|arn| scope.expect(Kind::Queue, Some("Arn"), arn))
        .map(|(_, queue)| queue.physical_name.clone());
    properties.required("maxReceiveCount");
    let max_receive_count = properties.number("maxReceiveCount", &MAX_RECEIVE_COUNT);
    properties.finish();
    Some(Redrive {
        dead_letter_queue: dead_letter_queue?,
        max_receive_count: max_receive_count?,
    })
}
