//! Queue policies that allow EventBridge rules to send messages.

use super::policies::{check_service, statements};
use crate::catalog::Kind;
use crate::node::Node;
use crate::properties::Properties;
use crate::scope::Scope;

/// Service principal of EventBridge.
const EVENT_BRIDGE: &str = "events.amazonaws.com";

/// Permission of a rule to send to a queue.
pub(super) struct Grant {
    /// Physical name of the queue.
    pub(super) queue: String,
    /// ARN of the rule.
    pub(super) rule_arn: String,
}

pub(super) fn read(properties: &mut Properties<'_, '_>, scope: &Scope<'_>) -> Vec<Grant> {
    properties.required("Queues");
    let queues: Vec<String> = properties
        .items("Queues")
        .iter()
        .filter_map(|url| scope.expect(Kind::Queue, None, url))
        .map(|(_, queue)| queue.physical_name.clone())
        .collect();

    let Some(document) = properties.required("PolicyDocument") else {
        return Vec::new();
    };

    statements(document, scope.report)
        .iter()
        .filter_map(|statement| grant(statement, &queues, scope))
        .collect()
}

fn grant(statement: &Node, queues: &[String], scope: &Scope<'_>) -> Option<Grant> {
    let mut properties = Properties::of(statement, "a policy statement", scope.report);
    properties.without_effect(&["Sid"]);
    for (name, only) in [("Effect", "Allow"), ("Action", "sqs:SendMessage")] {
        properties.required(name);
        properties.fixed(name, only);
    }

    check_service(&mut properties, EVENT_BRIDGE, scope.report);

    let resource = properties.required("Resource");
    let queue = resource
        .and_then(|arn| scope.expect(Kind::Queue, Some("Arn"), arn))
        .map(|(_, queue)| queue.physical_name.clone());
    let rule_arn = properties.required("Condition").and_then(|condition| {
        let mut condition = Properties::of(condition, "Condition", scope.report);
        let equal = condition.required("ArnEquals");
        condition.finish();

        let mut equal = Properties::of(equal?, "ArnEquals", scope.report);
        let rule_arn = equal.required_text("aws:SourceArn");
        equal.finish();

        rule_arn
    });
    properties.finish();

    let line = resource?.line;
    let queue = queue?;
    if !queues.contains(&queue) {
        scope
            .report
            .add(line, "`Resource` must be a queue in `Queues`");
    }

    Some(Grant {
        queue,
        rule_arn: rule_arn?.to_owned(),
    })
}
