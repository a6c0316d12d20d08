//! A function's role: inline statements that allow.

use crate::fields::Fields;
use crate::model::Permission;
use crate::node::{Node, Value};
use crate::problem::Report;

/// The one version whose language is current.
const POLICY_VERSION: &str = "2012-10-17";

/// Reads SAM's `Policies`. Managed policies, SAM's policy templates, denials and conditions are not understood: what a
/// function may do stands in the template, action by action.
pub(super) fn read(policies: &[Node], report: &Report) -> Vec<Permission> {
    let mut permissions = Vec::new();
    for policy in policies {
        let mut fields = Fields::of(policy, "an inline policy", report);
        fields.fixed("Version", POLICY_VERSION);
        fields.required("Statement");
        permissions.extend(fields.items("Statement").iter().map(|statement| permission(statement, report)));
        fields.finish();
    }
    permissions
}

fn permission(statement: &Node, report: &Report) -> Permission {
    let mut fields = Fields::of(statement, "a policy statement", report);
    fields.without_effect(&["Sid"]);
    fields.required("Effect");
    fields.fixed("Effect", "Allow");
    if let Some(actions) = fields.required("Action") {
        each(actions, report, "an action is `service:Name`", |action| action.split_once(':').is_some());
    }
    if let Some(resources) = fields.required("Resource") {
        each(resources, report, "a resource is an ARN, or `*`", |resource| {
            resource == "*" || resource.starts_with("arn:")
        });
    }
    let permission = Permission { actions: fields.texts("Action"), resources: fields.texts("Resource") };
    fields.finish();
    permission
}

fn each(node: &Node, report: &Report, demand: &str, meets: impl Fn(&str) -> bool) {
    for item in node.list().unwrap_or(std::slice::from_ref(node)) {
        if item.value != Value::Broken && !item.text().is_some_and(&meets) {
            report.add(item.line, demand);
        }
    }
}
