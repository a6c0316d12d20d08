//! EventBridge rules that send messages to queues periodically.

use serde::Deserialize;

use super::{QUEUE, policy::grants};
use crate::{error::TemplateError, model::Schedule, resources::Resources};

pub(super) const RULE: &str = "AWS::Events::Rule";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Rule {
    schedule_expression: String,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Target {
    arn: String,
    input: String,
}

/// Reads the schedules of a rule, one per target.
pub(super) fn read(id: &str, resources: &Resources<'_>) -> Result<Vec<Schedule>, TemplateError> {
    let rule: Rule = resources.properties(id)?;
    let expression = rule.schedule_expression;
    let period_seconds = period_seconds(&expression).ok_or_else(|| {
        let message = format!("`{expression}` is not supported, only `rate(…)`");
        TemplateError::new("ScheduleExpression", message)
    })?;
    let rule_arn = resources.scope.attribute(id, "Arn")?;

    let schedule = |target: Target| {
        let queue = resources.find(QUEUE, Some("Arn"), &target.arn)?;
        let queue_url = resources.scope.reference(queue)?;
        Ok(Schedule {
            rule: id.to_owned(),
            period_seconds,
            queue: resources.scope.name(queue),
            message: target.input,
            permissions: grants(
                "AWS::SQS::QueuePolicy",
                &queue_url,
                "events.amazonaws.com",
                &rule_arn,
                resources,
            )?,
        })
    };
    rule.targets.into_iter().map(schedule).collect()
}
fn period_seconds(expression: &str) -> Option<u32> {
    let rate = expression.strip_prefix("rate(")?.strip_suffix(')')?;
    let (count, unit) = rate.split_once(' ')?;
    let unit_seconds = match unit.trim_end_matches('s') {
        "minute" => 60,
        "hour" => 3_600,
        "day" => 86_400,
        _ => return None,
    };
    count.parse::<u32>().ok()?.checked_mul(unit_seconds)
}
