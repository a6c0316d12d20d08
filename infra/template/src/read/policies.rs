//! Policy documents: `Allow` statements.

use crate::diagnostic::Report;
use crate::model::Permission;
use crate::node::{Node, NodeValue};
use crate::properties::Properties;

/// The current version of the policy language.
const POLICY_VERSION: &str = "2012-10-17";

/// Reads the `PolicyDocument` of a policy. `Deny` statements and conditions are not supported: the
/// template lists each allowed action.
pub(super) fn read(policy: &mut Properties<'_, '_>, report: &Report) -> Vec<Permission> {
    let document = policy.required("PolicyDocument");
    document
        .map(|document| statements(document, report))
        .unwrap_or_default()
        .iter()
        .map(|statement| permission(statement, report))
        .collect()
}

/// Returns the statements of a policy document.
pub(super) fn statements<'tree>(document: &'tree Node, report: &Report) -> &'tree [Node] {
    let mut document = Properties::of(document, "a policy document", report);
    document.required("Version");
    document.fixed("Version", POLICY_VERSION);
    document.required("Statement");
    let statements = document.one_or_more("Statement");
    document.finish();
    statements
}

/// Reports an error unless the principal of a statement is this service.
pub(super) fn check_service(
    statement: &mut Properties<'_, '_>,
    service: &'static str,
    report: &Report,
) {
    if let Some(principal) = statement.required("Principal") {
        let mut principal = Properties::of(principal, "Principal", report);
        principal.required("Service");
        principal.fixed("Service", service);
        principal.finish();
    }
}

fn permission(statement: &Node, report: &Report) -> Permission {
    let mut properties = Properties::of(statement, "a policy statement", report);
    properties.without_effect(&["Sid"]);
    properties.required("Effect");
    properties.fixed("Effect", "Allow");
    properties.required("Action");
    properties.required("Resource");

    let permission = Permission {
        actions: texts(
            properties.one_or_more("Action"),
            report,
            "an action is `service:Name`",
            |action| {
                action
                    .split_once(':')
                    .is_some_and(|(service, name)| !service.is_empty() && !name.is_empty())
            },
        ),
        resources: texts(
            properties.one_or_more("Resource"),
            report,
            "a resource is an ARN, or `*`",
            |resource| resource == "*" || resource.starts_with("arn:"),
        ),
    };
    properties.finish();

    permission
}

fn texts(
    items: &[Node],
    report: &Report,
    requirement: &str,
    is_valid: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut texts = Vec::new();
    for item in items.iter().filter(|item| item.value != NodeValue::Broken) {
        match item.text().filter(|text| is_valid(text)) {
            Some(text) => texts.push(text.to_owned()),
            None => report.add(item.line, requirement),
        }
    }

    texts
}
