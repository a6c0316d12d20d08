//! The roles of functions, and roles that these assume: inline policies, and managed policies of the template.

use super::policies::{self, check_service, statements};
use crate::catalog::Kind;
use crate::model::Permission;
use crate::node::Node;
use crate::properties::Properties;
use crate::resolve::resolve;
use crate::resource::Resource;
use crate::scope::Scope;

/// Service principal of Lambda.
pub(super) const LAMBDA: &str = "lambda.amazonaws.com";

/// Permissions of a role, and who may assume it.
pub(super) struct Role {
    permissions: Vec<Permission>,
    /// Service principals, and ARNs of other roles.
    trusted: Vec<String>,
}

/// A managed policy.
pub(super) struct ManagedPolicy {
    permissions: Vec<Permission>,
    /// Physical names of the roles in its property `Roles`.
    roles: Vec<String>,
}

/// Returns the permissions of the role with an ARN. Reports an error if the template has no such role, or if it does
/// not trust this principal.
pub(super) fn permissions_of(arn: &Node, trusted: &str, scope: &Scope<'_>) -> Vec<Permission> {
    let Some((_, resource)) = scope.expect(Kind::Role, Some("Arn"), arn) else {
        return Vec::new();
    };
    let Some(node) = resolve(scope, &resource.properties) else {
        return Vec::new();
    };

    let role = read(&mut Properties::of(&node, "a role", scope.report), scope);
    if !role.trusted.iter().any(|principal| principal == trusted) {
        let message = format!("this role must trust `{trusted}`");
        scope.report.add(arn.line, message);
    }

    let policies = scope.of_kind(Kind::ManagedPolicy);
    let attached = policies
        .filter_map(|(_, policy)| read_managed(policy, scope))
        .filter(|policy| policy.roles.contains(&resource.physical_name));
    let attached = attached.flat_map(|policy| policy.permissions);
    role.permissions.into_iter().chain(attached).collect()
}

/// Reads a managed policy.
pub(super) fn managed_policy(
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> ManagedPolicy {
    for role in properties.items("Roles") {
        scope.expect(Kind::Role, None, role);
    }
    ManagedPolicy {
        permissions: policies::read(properties, scope.report),
        roles: properties.texts("Roles"),
    }
}

fn read_managed(policy: &Resource<'_>, scope: &Scope<'_>) -> Option<ManagedPolicy> {
    let node = resolve(scope, &policy.properties)?;
    let mut properties = Properties::of(&node, "a managed policy", scope.report);
    Some(managed_policy(&mut properties, scope))
}

pub(super) fn read(properties: &mut Properties<'_, '_>, scope: &Scope<'_>) -> Role {
    let report = scope.report;
    let mut trusted = Vec::new();
    if let Some(trust) = properties.required("AssumeRolePolicyDocument") {
        for statement in statements(trust, report) {
            let mut statement = Properties::of(statement, "a trust statement", report);
            for (name, only) in [("Effect", "Allow"), ("Action", "sts:AssumeRole")] {
                statement.required(name);
                statement.fixed(name, only);
            }
            trusted.push(principal(&mut statement, scope));
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
            .and_then(|(_, policy)| read_managed(policy, scope));
        permissions.extend(policy.into_iter().flat_map(|policy| policy.permissions));
    }
    Role {
        permissions,
        trusted,
    }
}

/// Returns the principal of a trust statement: another role, or Lambda.
fn principal(statement: &mut Properties<'_, '_>, scope: &Scope<'_>) -> String {
    let principal = statement.take("Principal");
    let Some(principal) = principal.filter(|principal| principal.get("AWS").is_some()) else {
        check_service(statement, LAMBDA, scope.report);
        return LAMBDA.to_owned();
    };

    let mut principal = Properties::of(principal, "Principal", scope.report);
    let role = principal.take("AWS");
    principal.finish();
    let found = role.filter(|arn| scope.expect(Kind::Role, Some("Arn"), arn).is_some());
    found.and_then(Node::text).unwrap_or_default().to_owned()
}
