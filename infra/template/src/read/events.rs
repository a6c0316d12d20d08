//! Events of a function: routes of the HTTP API, and queues.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::queue_names::queue_of_arn;
use crate::catalog::Kind;
use crate::model::{Permission, ResolvedTemplate, Route, Trigger};
use crate::node::{Entry, Node};
use crate::properties::Properties;
use crate::scope::Scope;

/// Name of the only stage without a path prefix, and of the route for requests that match no other.
pub(super) const STAGE: &str = "$default";

const METHODS: &[&str] = &[
    "ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT",
];

/// Larger batches require a batching window.
const BATCH_SIZE: RangeInclusive<u32> = 1..=10;
const MAXIMUM_CONCURRENCY: RangeInclusive<u32> = 2..=1000;

/// Lambda's default.
const DEFAULT_BATCH_SIZE: u32 = 10;

/// Actions that SAM allows a function on the queue that invokes it.
const QUEUE_ACTIONS: [&str; 3] = [
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
];

/// The events of a function, and the permissions that SAM adds for them.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) routes: Vec<Route>,
    pub(super) triggers: Vec<Trigger>,
    pub(super) permissions: Vec<Permission>,
}

pub(super) fn read(function: &str, events: &Node, scope: &Scope<'_>) -> Events {
    let mut read = Events::default();
    let Some(entries) = events.map() else {
        scope.report.add(events.line, "Events must be a mapping");
        return read;
    };

    for entry in entries {
        let mut properties = Properties::of(&entry.node, "an event", scope.report);
        let node = properties.required("Properties");

        match (properties.required_text("Type"), node) {
            (Some("HttpApi"), Some(node)) => {
                read.routes.extend(route(function, entry, node, scope));
            }
            (Some("SQS"), Some(node)) => {
                read.triggers
                    .extend(trigger(function, node, scope, &mut read.permissions));
            }
            (Some(other), Some(_)) => scope
                .report
                .add(entry.line, format!("the event `{other}` is not supported")),
            _ => {}
        }
        properties.finish();
    }

    read
}

/// Reads a route: `$default` if it has neither `Method` nor `Path`.
fn route(function: &str, event: &Entry, node: &Node, scope: &Scope<'_>) -> Option<Route> {
    let mut properties = Properties::of(node, "an HttpApi event", scope.report);
    if let Some(api) = properties.required("ApiId") {
        let mut apis = scope.of_kind(Kind::HttpApi);
        if !apis.any(|(id, resource)| scope.reference(id, resource.line).as_deref() == api.text()) {
            scope
                .report
                .add(api.line, "`ApiId` must refer to the template's HTTP API");
        }
    }

    let own_method = properties.text("Method");
    let own_path = properties.text("Path");
    properties.finish();

    if own_method.is_some() != own_path.is_some() {
        scope
            .report
            .add(event.line, "a route has both Method and Path, or neither");
        return None;
    }

    let method = own_method.unwrap_or("ANY").to_ascii_uppercase();
    let path = own_path.unwrap_or(STAGE);
    if !METHODS.contains(&method.as_str()) {
        scope.report.add(
            event.line,
            format!("the method `{method}` is not supported"),
        );
    }
    if path != STAGE && !is_explicit(path) {
        scope.report.add(
            event.line,
            format!("the path `{path}` is not supported: use literal segments and {{names}}"),
        );
    }

    Some(Route {
        method,
        path: path.to_owned(),
        function: function.to_owned(),
    })
}

/// Returns whether a path consists of literal segments and `{name}`s, without a greedy parameter or
/// a trailing slash.
fn is_explicit(path: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-._~".contains(c))
    };

    let is_segment = |segment: &str| {
        let parameter = segment
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        is_name(parameter.unwrap_or(segment))
    };

    path == "/"
        || path
            .strip_prefix('/')
            .is_some_and(|segments| segments.split('/').all(is_segment))
}

/// Replaces each parameter by `{}`: paths that differ only in names match the same requests.
fn without_names(path: &str) -> String {
    let segments: Vec<&str> = path
        .split('/')
        .map(|segment| {
            if segment.starts_with('{') {
                "{}"
            } else {
                segment
            }
        })
        .collect();
    segments.join("/")
}

fn trigger(
    function: &str,
    node: &Node,
    scope: &Scope<'_>,
    permissions: &mut Vec<Permission>,
) -> Option<Trigger> {
    let report = scope.report;

    let mut properties = Properties::of(node, "an SQS event", report);
    let arn = properties.required("Queue");
    let batch_size = properties
        .number("BatchSize", &BATCH_SIZE)
        .unwrap_or(DEFAULT_BATCH_SIZE);
    // The local stack invokes the function once per received batch.
    properties.fixed("MaximumBatchingWindowInSeconds", "0");
    let maximum_concurrency = properties.take("ScalingConfig").and_then(|node| {
        let mut scaling = Properties::of(node, "ScalingConfig", report);
        scaling.required("MaximumConcurrency");
        let maximum = scaling.number("MaximumConcurrency", &MAXIMUM_CONCURRENCY);
        scaling.finish();
        maximum
    });

    let reports_failures = match properties.take("FunctionResponseTypes") {
        None => false,
        Some(types) => {
            let only = types.list().unwrap_or_default();
            if !matches!(only, [only] if only.text() == Some("ReportBatchItemFailures")) {
                report.add(
                    types.line,
                    "`FunctionResponseTypes` is supported as [ReportBatchItemFailures] only",
                );
            }
            true
        }
    };

    properties.fixed("Enabled", "true");
    properties.finish();

    let arn = arn?;
    let queue = queue_of_arn(arn, scope)?;
    permissions.push(Permission {
        actions: QUEUE_ACTIONS.map(str::to_owned).to_vec(),
        resources: arn.text().map(str::to_owned).into_iter().collect(),
    });

    Some(Trigger {
        queue,
        function: function.to_owned(),
        batch_size,
        maximum_concurrency,
        reports_failures,
    })
}

/// Reports duplicate routes, and queues whose visibility timeout is shorter than the timeout of the
/// function, so that a message would become visible again while it is processed.
pub(super) fn check(resolved: &ResolvedTemplate, scope: &Scope<'_>) {
    let line_of = |kind, wanted: &str| {
        let mut all = scope.of_kind(kind);
        all.find(|(id, _)| *id == wanted)
            .map_or(1, |(_, resource)| resource.line)
    };

    let mut routes = BTreeSet::new();
    for Route {
        method,
        path,
        function,
    } in &resolved.routes
    {
        if !routes.insert((method, without_names(path))) {
            let line = line_of(Kind::Function, function);
            scope.report.add(
                line,
                format!("the route `{method} {path}` is defined twice"),
            );
        }
    }

    for trigger in &resolved.triggers {
        let queue = resolved
            .queues
            .iter()
            .find(|queue| queue.name == trigger.queue);
        let function = resolved
            .functions
            .iter()
            .find(|function| function.logical_id == trigger.function);

        if let Some(queue) = queue
            && let Some(function) = function
            && queue.visibility_timeout_seconds < function.timeout_seconds
        {
            let line = line_of(Kind::Queue, &queue.logical_id);
            let message = "`VisibilityTimeout` is shorter than the timeout of the function that the queue invokes";
            scope.report.add(line, message);
        }
    }
}
