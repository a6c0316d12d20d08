//! What invokes a function: routes of the HTTP API, and queues.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::queue_of_arn;
use crate::catalog::Kind;
use crate::fields::Fields;
use crate::model::{Permission, Route, Stack, Trigger};
use crate::node::{Entry, Node};
use crate::scope::Scope;

/// The one stage that adds nothing to the path; also what the route is called that takes whatever
/// no other takes.
pub(super) const STAGE: &str = "$default";

const METHODS: &[&str] = &[
    "ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT",
];

/// Larger batches need a batching window.
const BATCH_SIZE: RangeInclusive<u32> = 1..=10;
const MAXIMUM_CONCURRENCY: RangeInclusive<u32> = 2..=1000;

/// Lambda's own.
const DEFAULT_BATCH_SIZE: u32 = 10;

/// What SAM lets a function do to the queue that invokes it.
const QUEUE_ACTIONS: [&str; 3] = [
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
];

/// What invokes one function, and what it may do because of that.
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
        let mut fields = Fields::of(&entry.node, "an event", scope.report);
        let properties = fields.required("Properties");
        match (fields.required_text("Type"), properties) {
            (Some("HttpApi"), Some(properties)) => read
                .routes
                .extend(route(function, entry, properties, scope)),
            (Some("SQS"), Some(properties)) => {
                read.triggers
                    .extend(trigger(function, properties, scope, &mut read.permissions));
            }
            (Some(other), Some(_)) => scope
                .report
                .add(entry.line, format!("the event `{other}` is not understood")),
            _ => {}
        }
        fields.finish();
    }
    read
}

/// With neither `Method` nor `Path`, the `$default` route.
fn route(function: &str, event: &Entry, properties: &Node, scope: &Scope<'_>) -> Option<Route> {
    let mut fields = Fields::of(properties, "an HttpApi event", scope.report);
    if let Some(api) = fields.required("ApiId") {
        let mut apis = scope.of_kind(Kind::HttpApi);
        if !apis.any(|(id, resource)| scope.reference(id, resource.line).as_deref() == api.text()) {
            scope
                .report
                .add(api.line, "`ApiId` must refer to the template's HTTP API");
        }
    }
    let (method, path) = (fields.text("Method"), fields.text("Path"));
    fields.finish();
    let (method, path) = match (method, path) {
        (None, None) => ("ANY", STAGE),
        (Some(method), Some(path)) => (method, path),
        _ => {
            scope
                .report
                .add(event.line, "a route has both Method and Path, or neither");
            return None;
        }
    };
    let method = method.to_ascii_uppercase();
    if !METHODS.contains(&method.as_str()) {
        scope.report.add(
            event.line,
            format!("the method `{method}` is not understood"),
        );
    }
    if path != STAGE && !is_explicit(path) {
        scope.report.add(
            event.line,
            format!("the path `{path}` is not understood: explicit segments and {{names}}"),
        );
    }
    Some(Route {
        method,
        path: path.to_owned(),
        function: function.to_owned(),
    })
}

/// Whether the path is literal segments and `{name}`s: no greedy parameter, no trailing slash.
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

/// The path with `{}` for each parameter: the gateway cannot tell two that differ in a name alone.
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
    properties: &Node,
    scope: &Scope<'_>,
    permissions: &mut Vec<Permission>,
) -> Option<Trigger> {
    let report = scope.report;
    let mut fields = Fields::of(properties, "an SQS event", report);
    let arn = fields.required("Queue");
    let batch_size = fields
        .number("BatchSize", &BATCH_SIZE)
        .unwrap_or(DEFAULT_BATCH_SIZE);
    // A batch is handed over as it is received: nothing here waits for more.
    fields.fixed("MaximumBatchingWindowInSeconds", "0");
    let maximum_concurrency = fields.take("ScalingConfig").and_then(|node| {
        let mut fields = Fields::of(node, "ScalingConfig", report);
        fields.required("MaximumConcurrency");
        let maximum = fields.number("MaximumConcurrency", &MAXIMUM_CONCURRENCY);
        fields.finish();
        maximum
    });
    let reports_failures = match fields.take("FunctionResponseTypes") {
        None => false,
        Some(types) => {
            let only = types.list().unwrap_or_default();
            if !matches!(only, [only] if only.text() == Some("ReportBatchItemFailures")) {
                report.add(
                    types.line,
                    "`FunctionResponseTypes` is understood as [ReportBatchItemFailures] only",
                );
            }
            true
        }
    };
    fields.fixed("Enabled", "true");
    fields.finish();
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

/// What one event cannot see alone: routes that stand twice, and queues that show a message again
/// while it is at work.
pub(super) fn check(stack: &Stack, scope: &Scope<'_>) {
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
    } in &stack.routes
    {
        if !routes.insert((method, without_names(path))) {
            let line = line_of(Kind::Function, function);
            scope.report.add(
                line,
                format!("the route `{method} {path}` stands in the template twice"),
            );
        }
    }
    for trigger in &stack.triggers {
        let queue = stack
            .queues
            .iter()
            .find(|queue| queue.name == trigger.queue);
        let function = stack
            .functions
            .iter()
            .find(|function| function.logical_id == trigger.function);
        if let (Some(queue), Some(function)) = (queue, function)
            && queue.visibility_timeout_seconds < function.timeout_seconds
        {
            let line = line_of(Kind::Queue, &queue.logical_id);
            let message = "`VisibilityTimeout` is shorter than the timeout of the function that the queue invokes";
            scope.report.add(line, message);
        }
    }
}
