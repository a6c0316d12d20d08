//! Queue policies that allow EventBridge rules to send messages.

use super::policies::POLICY_VERSION;
use super::queue_names::{queue_of_arn, queue_of_url};
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
        .filter_map(|url| queue_of_url(url, scope))
        .collect();

    let Some(document) = properties.required("PolicyDocument") else {
        return Vec::new();
    };

    let mut document = Properties::of(document, "a queue's policy", scope.report);
    document.required("Version");
    document.fixed("Version", POLICY_VERSION);
    document.required("Statement");
    let statements = document.one_or_more("Statement");
    document.finish();

    statements
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

    if let Some(principal) = properties.required("Principal") {
        let mut principal = Properties::of(principal, "Principal", scope.report);
        principal.required("Service");
        principal.fixed("Service", EVENT_BRIDGE);
        principal.finish();
    }

    let resource = properties.required("Resource");
    let queue = resource.and_then(|arn| queue_of_arn(arn, scope));
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
