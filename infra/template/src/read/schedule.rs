//! Rules of EventBridge that send a message to a queue, time and again.

use super::queue_of_arn;
use super::queue_policy::Grant;
use crate::catalog::Kind;
use crate::fields::Fields;
use crate::model::{Schedule, Stack};
use crate::node::Node;
use crate::resources::Resource;
use crate::scope::Scope;

/// What a period is measured in, one and many of it, in seconds.
const UNITS: [(&str, &str, u32); 3] = [
    ("minute", "minutes", 60),
    ("hour", "hours", 3_600),
    ("day", "days", 86_400),
];

/// A rule's messages, one to each of its targets.
pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    fields: &mut Fields<'_, '_>,
    scope: &Scope<'_>,
) -> Vec<Schedule> {
    fields.fixed("State", "ENABLED");
    let expression = fields.required("ScheduleExpression");
    let period_seconds = expression.and_then(|node| {
        let period_seconds = node.text().and_then(period_seconds);
        if period_seconds.is_none() {
            let message = "`ScheduleExpression` is understood as a rate: rate(1 day), rate(12 hours), rate(5 minutes)";
            scope.report.add(node.line, message);
        }
        period_seconds
    });
    fields.required("Targets");
    let targets = fields.items("Targets");
    if targets.is_empty() {
        scope.report.add(resource.line, "a rule needs targets");
    }
    let message = |target| {
        let (queue, message) = self::target(target, scope)?;
        Some(Schedule {
            rule: id.to_owned(),
            period_seconds: period_seconds?,
            queue,
            message,
        })
    };
    targets.iter().filter_map(message).collect()
}

/// The queue of a target, and what it is sent.
fn target(node: &Node, scope: &Scope<'_>) -> Option<(String, String)> {
    let mut fields = Fields::of(node, "a target", scope.report);
    fields.required_text("Id");
    let queue = fields
        .required("Arn")
        .and_then(|arn| queue_of_arn(arn, scope));
    let message = fields.required_text("Input");
    fields.finish();
    let message = message?;
    if serde_json::from_str::<serde_json::Value>(message).is_err() {
        scope.report.add(node.line, "`Input` must be JSON");
    }
    Some((queue?, message.to_owned()))
}

/// `rate(1 day)`: the unit of one is singular, of more it is plural.
fn period_seconds(expression: &str) -> Option<u32> {
    let (count, unit) = expression
        .strip_prefix("rate(")?
        .strip_suffix(')')?
        .split_once(' ')?;
    let count = count.parse().ok().filter(|count| *count > 0)?;
    let (_, _, seconds) = UNITS
        .into_iter()
        .find(|(one, many, _)| unit == if count == 1 { *one } else { *many })?;
    seconds.checked_mul(count)
}

/// A rule that a queue takes nothing from sends in vain, and nobody is told.
pub(super) fn check(stack: &Stack, grants: &[Grant], scope: &Scope<'_>) {
    for schedule in &stack.schedules {
        let Some((_, rule)) = scope
            .of_kind(Kind::Rule)
            .find(|(id, _)| *id == schedule.rule)
        else {
            continue;
        };
        let arn = scope.attribute(&schedule.rule, "Arn", rule.line);
        if !grants
            .iter()
            .any(|grant| grant.queue == schedule.queue && Some(&grant.rule_arn) == arn.as_ref())
        {
            scope.report.add(
                rule.line,
                format!(
                    "no queue policy lets this rule send to `{}`",
                    schedule.queue
                ),
            );
        }
    }
}
