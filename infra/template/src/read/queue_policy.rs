//! Who may send to a queue beside the functions' roles: rules of EventBridge, one by one.

use super::policies::POLICY_VERSION;
use super::queue_of_arn;
use crate::catalog::Kind;
use crate::fields::Fields;
use crate::node::Node;
use crate::scope::Scope;

/// What EventBridge is called where it acts.
const EVENT_BRIDGE: &str = "events.amazonaws.com";

/// A rule may send to a queue.
pub(super) struct Grant {
    /// Physical name of the queue.
    pub(super) queue: String,
    /// The rule.
    pub(super) rule_arn: String,
}

pub(super) fn read(fields: &mut Fields<'_, '_>, scope: &Scope<'_>) -> Vec<Grant> {
    fields.required("Queues");
    let queues: Vec<String> = fields
        .items("Queues")
        .iter()
        .filter_map(|url| queue_of_url(url, scope))
        .collect();
    let Some(document) = fields.required("PolicyDocument") else {
        return Vec::new();
    };
    let mut document = Fields::of(document, "a queue's policy", scope.report);
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
    let mut fields = Fields::of(statement, "a policy statement", scope.report);
    fields.without_effect(&["Sid"]);
    for (name, only) in [("Effect", "Allow"), ("Action", "sqs:SendMessage")] {
        fields.required(name);
        fields.fixed(name, only);
    }
    if let Some(principal) = fields.required("Principal") {
        let mut principal = Fields::of(principal, "Principal", scope.report);
        principal.required("Service");
        principal.fixed("Service", EVENT_BRIDGE);
        principal.finish();
    }
    let resource = fields.required("Resource");
    let queue = resource.and_then(|arn| queue_of_arn(arn, scope).map(|queue| (queue, arn.line)));
    let rule_arn = fields.required("Condition").and_then(|condition| {
        let mut condition = Fields::of(condition, "Condition", scope.report);
        let equal = condition.required("ArnEquals");
        condition.finish();
        let mut equal = Fields::of(equal?, "ArnEquals", scope.report);
        let rule_arn = equal.required_text("aws:SourceArn");
        equal.finish();
        rule_arn
    });
    fields.finish();
    let (queue, line) = queue?;
    if !queues.contains(&queue) {
        scope
            .report
            .add(line, "`Resource` must be a queue that the policy is of");
    }
    Some(Grant {
        queue,
        rule_arn: rule_arn?.to_owned(),
    })
}

/// The physical name of the queue that has this address; anything else is a problem.
fn queue_of_url(url: &Node, scope: &Scope<'_>) -> Option<String> {
    let mut queues = scope.of_kind(Kind::Queue);
    let queue =
        queues.find(|(id, resource)| scope.reference(id, resource.line).as_deref() == url.text());
    if queue.is_none() {
        scope
            .report
            .add(url.line, "this must refer to a queue of this template");
    }
    queue.map(|(_, resource)| resource.physical_name.clone())
}
