//! A function's role: inline statements that allow.

use crate::fields::Fields;
use crate::model::Permission;
use crate::node::{Node, Value};
use crate::problem::Report;

/// The one version whose language is current.
pub(super) const POLICY_VERSION: &str = "2012-10-17";

/// SAM's policy template that allows to read one secret.
const READ_SECRET: &str = "AWSSecretsManagerGetSecretValuePolicy";

/// Reads SAM's `Policies`. Managed policies, SAM's other policy templates, denials and conditions
/// are not understood: what a function may do stands in the template, action by action.
pub(super) fn read(policies: &[Node], report: &Report) -> Vec<Permission> {
    let mut permissions = Vec::new();
    for policy in policies {
        let mut fields = Fields::of(policy, "an inline policy", report);
        if let Some(policy) = fields.take(READ_SECRET) {
            permissions.extend(read_secret(policy, report));
            fields.finish();
            continue;
        }
        fields.fixed("Version", POLICY_VERSION);
        fields.required("Statement");
        permissions.extend(
            fields
                .one_or_more("Statement")
                .iter()
                .map(|statement| permission(statement, report)),
        );
        fields.finish();
    }
    permissions
}

fn read_secret(policy: &Node, report: &Report) -> Option<Permission> {
    let mut fields = Fields::of(policy, READ_SECRET, report);
    let arn = fields.required_text("SecretArn");
    fields.finish();
    Some(Permission {
        actions: vec!["secretsmanager:GetSecretValue".to_owned()],
        resources: vec![arn?.to_owned()],
    })
}

fn permission(statement: &Node, report: &Report) -> Permission {
    let mut fields = Fields::of(statement, "a policy statement", report);
    fields.without_effect(&["Sid"]);
    fields.required("Effect");
    fields.fixed("Effect", "Allow");
    fields.required("Action");
    fields.required("Resource");
    let permission = Permission {
        actions: texts(
            fields.one_or_more("Action"),
            report,
            "an action is `service:Name`",
            |action| {
                action
                    .split_once(':')
                    .is_some_and(|(service, name)| !service.is_empty() && !name.is_empty())
            },
        ),
        resources: texts(
            fields.one_or_more("Resource"),
            report,
            "a resource is an ARN, or `*`",
            |resource| resource == "*" || resource.starts_with("arn:"),
        ),
    };
    fields.finish();
    permission
}

fn texts(
    items: &[Node],
    report: &Report,
    demand: &str,
    meets: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut texts = Vec::new();
    for item in items.iter().filter(|item| item.value != Value::Broken) {
        match item.text().filter(|text| meets(text)) {
            Some(text) => texts.push(text.to_owned()),
            None => report.add(item.line, demand),
        }
    }
    texts
}
