//! The roles of functions: inline policies, and managed policies of the template.

use super::policies::{self, check_service, statements};
use crate::catalog::Kind;
use crate::model::Permission;
use crate::node::Node;
use crate::properties::Properties;
use crate::resolve::resolve;
use crate::scope::Scope;

/// Service principal of Lambda.
const LAMBDA: &str = "lambda.amazonaws.com";

/// Returns the permissions of the role with an ARN. Reports an error if the template has no such role.
pub(super) fn permissions_of(arn: &Node, scope: &Scope<'_>) -> Vec<Permission> {
    let role = scope
        .expect(Kind::Role, Some("Arn"), arn)
        .and_then(|(_, role)| resolve(scope, &role.properties));
    role.map(|node| read(&mut Properties::of(&node, "a role", scope.report), scope))
        .unwrap_or_default()
}

pub(super) fn read(properties: &mut Properties<'_, '_>, scope: &Scope<'_>) -> Vec<Permission> {
    let report = scope.report;
    if let Some(trust) = properties.required("AssumeRolePolicyDocument") {
        for statement in statements(trust, report) {
            let mut statement = Properties::of(statement, "a trust statement", report);
            for (name, only) in [("Effect", "Allow"), ("Action", "sts:AssumeRole")] {
                statement.required(name);
                statement.fixed(name, only);
            }
            check_service(&mut statement, LAMBDA, report);
            statement.finish();
        }
    }

    let mut permissions = Vec::new();
    for policy in properties.items("Policies") {
        let mut policy = Properties::of(policy, "an inline policy", report);
        policy.required_text("PolicyName");
        permissions.extend(policies::read(&mut policy, report));
        policy.finish();
    }
    for arn in properties.items("ManagedPolicyArns") {
        let policy = scope
            .expect(Kind::ManagedPolicy, None, arn)
            .and_then(|(_, policy)| resolve(scope, &policy.properties));
        if let Some(policy) = policy {
            let mut policy = Properties::of(&policy, "a managed policy", report);
            permissions.extend(policies::read(&mut policy, report));
        }
    }
    permissions
}
