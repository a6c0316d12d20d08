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
        permissions.extend(fields.one_or_more("Statement").iter().map(|statement| permission(statement, report)));
        fields.finish();
    }
    permissions
}

fn permission(statement: &Node, report: &Report) -> Permission {
    let mut fields = Fields::of(statement, "a policy statement", report);
    fields.without_effect(&["Sid"]);
    fields.required("Effect");
    fields.fixed("Effect", "Allow");
    fields.required("Action");
    fields.required("Resource");
    let permission = Permission {
        actions: texts(fields.one_or_more("Action"), report, "an action is `service:Name`", |action| {
            action.split_once(':').is_some_and(|(service, name)| !service.is_empty() && !name.is_empty())
        }),
        resources: texts(fields.one_or_more("Resource"), report, "a resource is an ARN, or `*`", |resource| {
            resource == "*" || resource.starts_with("arn:")
        }),
    };
    fields.finish();
    permission
}

fn texts(items: &[Node], report: &Report, demand: &str, meets: impl Fn(&str) -> bool) -> Vec<String> {
    let mut texts = Vec::new();
    for item in items.iter().filter(|item| item.value != Value::Broken) {
        match item.text().filter(|text| meets(text)) {
            Some(text) => texts.push(text.to_owned()),
            None => report.add(item.line, demand),
        }
    }
    texts
}
