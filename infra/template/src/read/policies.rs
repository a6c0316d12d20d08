//! The policies of a function's role: inline `Allow` statements.

use crate::diagnostic::Report;
use crate::model::Permission;
use crate::node::{Node, NodeValue};
use crate::properties::Properties;

/// The current version of the policy language.
pub(super) const POLICY_VERSION: &str = "2012-10-17";

/// The SAM policy template that allows reading one secret.
const READ_SECRET: &str = "AWSSecretsManagerGetSecretValuePolicy";

/// Reads SAM's `Policies`. Managed policies, other policy templates of SAM, `Deny` statements and
/// conditions are not supported: the template lists each allowed action.
pub(super) fn read(policies: &[Node], report: &Report) -> Vec<Permission> {
    let mut permissions = Vec::new();
    for policy in policies {
        let mut properties = Properties::of(policy, "an inline policy", report);
        if let Some(policy) = properties.take(READ_SECRET) {
            permissions.extend(read_secret(policy, report));
            properties.finish();
            continue;
        }
        properties.fixed("Version", POLICY_VERSION);
        properties.required("Statement");
        permissions.extend(
            properties
                .one_or_more("Statement")
                .iter()
                .map(|statement| permission(statement, report)),
        );
        properties.finish();
    }

    permissions
}

fn read_secret(policy: &Node, report: &Report) -> Option<Permission> {
    let mut properties = Properties::of(policy, READ_SECRET, report);
    let arn = properties.required_text("SecretArn");
    properties.finish();
    Some(Permission {
        actions: vec!["secretsmanager:GetSecretValue".to_owned()],
        resources: vec![arn?.to_owned()],
    })
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
