//! Event source mappings: queues that invoke functions.

use std::ops::RangeInclusive;

use crate::catalog::Kind;
use crate::model::{ResolvedTemplate, Trigger};
use crate::properties::Properties;
use crate::scope::Scope;

/// Larger batches require a batching window.
const BATCH_SIZE: RangeInclusive<u32> = 1..=10;
const MAXIMUM_CONCURRENCY: RangeInclusive<u32> = 2..=1000;

/// Lambda's default.
const DEFAULT_BATCH_SIZE: u32 = 10;

pub(super) fn read(properties: &mut Properties<'_, '_>, scope: &Scope<'_>) -> Option<Trigger> {
    let report = scope.report;

    let function = properties
        .required("FunctionName")
        .and_then(|name| scope.expect(Kind::Function, None, name));
    let queue = properties
        .required("EventSourceArn")
        .and_then(|arn| scope.expect(Kind::Queue, Some("Arn"), arn));
    let batch_size = properties
        .number("BatchSize", &BATCH_SIZE)
        .unwrap_or(DEFAULT_BATCH_SIZE);
    // The local stack invokes the function once per received batch.
    properties.fixed("MaximumBatchingWindowInSeconds", "0");
    properties.fixed("Enabled", "true");
    let maximum_concurrency = properties.take("ScalingConfig").and_then(|node| {
        let mut scaling = Properties::of(node, "ScalingConfig", report);
        scaling.required("MaximumConcurrency");
        let maximum = scaling.number("MaximumConcurrency", &MAXIMUM_CONCURRENCY);
        scaling.finish();
        maximum
    });

    let response_types = properties.take("FunctionResponseTypes");
    if let Some(types) = response_types {
        let only = types.list().unwrap_or_default();
        if !matches!(only, [only] if only.text() == Some("ReportBatchItemFailures")) {
            let message = "`FunctionResponseTypes` is supported as [ReportBatchItemFailures] only";
            report.add(types.line, message);
        }
    }

    Some(Trigger {
        queue: queue?.1.physical_name.clone(),
        function: function?.0.to_owned(),
        batch_size,
        maximum_concurrency,
        reports_failures: response_types.is_some(),
    })
}

/// Reports queues whose visibility timeout is shorter than the timeout of the function, so that a
/// message would become visible again while it is processed.
pub(super) fn check(resolved: &ResolvedTemplate, scope: &Scope<'_>) {
    for trigger in &resolved.triggers {
        let mut queues = resolved.queues.iter();
        let mut functions = resolved.functions.iter();
        let queue = queues.find(|queue| queue.name == trigger.queue);
        let function = functions.find(|function| function.logical_id == trigger.function);

        if let Some(queue) = queue
            && let Some(function) = function
            && queue.visibility_timeout_seconds < function.timeout_seconds
        {
            let mut all = scope.of_kind(Kind::Queue);
            let found = all.find(|(id, _)| *id == queue.logical_id);
            let line = found.map_or(1, |(_, resource)| resource.line);
            let message = "`VisibilityTimeout` is shorter than the timeout of the function that the queue invokes";
            scope.report.add(line, message);
        }
    }
}
