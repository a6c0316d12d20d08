//! EventBridge rules that send messages to queues periodically.

use super::queue_policy::Grant;
use crate::catalog::Kind;
use crate::model::{ResolvedTemplate, Schedule};
use crate::node::Node;
use crate::properties::Properties;
use crate::resource::Resource;
use crate::scope::Scope;

/// A unit of rates.
struct Unit {
    singular: &'static str,
    plural: &'static str,
    seconds: u32,
}

const UNITS: [Unit; 3] = [
    Unit {
        singular: "minute",
        plural: "minutes",
        seconds: 60,
    },
    Unit {
        singular: "hour",
        plural: "hours",
        seconds: 3_600,
    },
    Unit {
        singular: "day",
        plural: "days",
        seconds: 86_400,
    },
];

/// A target of a rule.
struct Target {
    /// Physical name of the queue.
    queue: String,
    message: String,
}

/// Reads the schedules of a rule, one per target.
pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> Vec<Schedule> {
    properties.fixed("State", "ENABLED");

    let expression = properties.required("ScheduleExpression");
    let period_seconds = expression.and_then(|node| {
        let period_seconds = node.text().and_then(period_seconds);
        if period_seconds.is_none() {
            let message = "`ScheduleExpression` is supported as a rate: rate(1 day), rate(12 hours), rate(5 minutes)";
            scope.report.add(node.line, message);
        }
        period_seconds
    });

    properties.required("Targets");
    let targets = properties.items("Targets");
    if targets.is_empty() {
        scope.report.add(resource.line, "a rule needs targets");
    }

    let schedule = |node| {
        let target = target(node, scope)?;
        Some(Schedule {
            rule: id.to_owned(),
            period_seconds: period_seconds?,
            queue: target.queue,
            message: target.message,
        })
    };

    targets.iter().filter_map(schedule).collect()
}

fn target(node: &Node, scope: &Scope<'_>) -> Option<Target> {
    let mut properties = Properties::of(node, "a target", scope.report);
    properties.required_text("Id");

    let queue = properties
        .required("Arn")
        .and_then(|arn| scope.expect(Kind::Queue, Some("Arn"), arn))
        .map(|(_, queue)| queue.physical_name.clone());
    let message = properties.required_text("Input");
    properties.finish();

    let message = message?;
    if serde_json::from_str::<serde_json::Value>(message).is_err() {
        scope.report.add(node.line, "`Input` must be JSON");
    }

    Some(Target {
        queue: queue?,
        message: message.to_owned(),
    })
}

/// Parses `rate(1 day)` or `rate(2 days)`.
fn period_seconds(expression: &str) -> Option<u32> {
    let (count_text, unit_name) = expression
        .strip_prefix("rate(")?
        .strip_suffix(')')?
        .split_once(' ')?;
    let count = count_text.parse().ok().filter(|count| *count > 0)?;

    let unit = UNITS.into_iter().find(|candidate| {
        let name = if count == 1 {
            candidate.singular
        } else {
            candidate.plural
        };
        name == unit_name
    })?;

    unit.seconds.checked_mul(count)
}

/// Reports rules without permission to send to their queue: on AWS their messages would be lost
/// without an error.
pub(super) fn check(resolved: &ResolvedTemplate, grants: &[Grant], scope: &Scope<'_>) {
    for schedule in &resolved.schedules {
        let Some((_, rule)) = scope
            .of_kind(Kind::Rule)
            .find(|(id, _)| *id == schedule.rule)
        else {
            continue;
        };

        let rule_arn = scope.attribute(&schedule.rule, "Arn", rule.line);
        let is_granted = grants.iter().any(|grant| {
            grant.queue == schedule.queue && Some(&grant.rule_arn) == rule_arn.as_ref()
        });

        if !is_granted {
            scope.report.add(
                rule.line,
                format!(
                    "no queue policy allows this rule to send to `{}`",
                    schedule.queue
                ),
            );
        }
    }
}
