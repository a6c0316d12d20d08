//! Policies of roles, queues and buckets.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    error::TemplateError, model::Permission, resources::Resources, scope::FUNCTION,
    text::one_or_more,
};

const ROLE: &str = "AWS::IAM::Role";
const MANAGED_POLICY: &str = "AWS::IAM::ManagedPolicy";

/// A policy that has only a document, besides what has no local effect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Policy {
    policy_document: Document<Permission>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Document<T> {
    statement: Vec<T>,
}

/// A statement of a trust policy.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Trust {
    principal: Value,
}

/// A statement of the policy of a queue or bucket.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Grant {
    effect: String,
    principal: Value,
    #[serde(deserialize_with = "one_or_more")]
    action: Vec<String>,
    #[serde(deserialize_with = "one_or_more")]
    resource: Vec<String>,
    condition: BTreeMap<String, Value>,
}

/// Returns the permissions of the role with an ARN. Fails if this principal may not assume the
/// role.
pub(super) fn permissions_of_role(
    arn: &str,
    principal: &Value,
    resources: &Resources<'_>,
) -> Result<Vec<Permission>, TemplateError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct Role {
        assume_role_policy_document: Document<Trust>,
        #[serde(default)]
        managed_policy_arns: Vec<String>,
        #[serde(default)]
        policies: Vec<Policy>,
    }

    let role: Role = resources.referenced(ROLE, Some("Arn"), arn)?;
    let mut trusted = role.assume_role_policy_document.statement.iter();
    if !trusted.any(|trust| trust.principal == *principal) {
        let message = format!("`{arn}` does not trust {principal}");
        return Err(TemplateError::new("Role", message));
    }

    let mut policies = role.policies;
    for arn in role.managed_policy_arns {
        policies.push(resources.referenced(MANAGED_POLICY, None, &arn)?);
    }

    let statements = policies.into_iter().map(|policy| policy.policy_document);
    Ok(statements.flat_map(|document| document.statement).collect())
}

/// Returns the permissions that the policies of a queue or bucket grant to a service for one of its
/// resources.
///
/// `target` is the reference of the queue or bucket.
pub(super) fn grants(
    policy_type: &str,
    target: &str,
    service: &str,
    source_arn: &str,
    resources: &Resources<'_>,
) -> Result<Vec<Permission>, TemplateError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct ResourcePolicy {
        #[serde(alias = "Bucket", deserialize_with = "one_or_more")]
        queues: Vec<String>,
        policy_document: Document<Grant>,
    }

    let policies = resources.each(policy_type, |id, resources| {
        resources.properties::<ResourcePolicy>(id)
    })?;
    let principal = json!({ "Service": service });
    let source = json!({ "aws:SourceArn": source_arn });
    let is_granted = |grant: &Grant| {
        let conditions: Vec<&Value> = grant.condition.values().collect();
        grant.effect == "Allow" && grant.principal == principal && conditions == [&source]
    };

    let of_target = |policy: &ResourcePolicy| policy.queues.iter().any(|queue| queue == target);
    let grants = policies
        .into_iter()
        .filter(of_target)
        .flat_map(|policy| policy.policy_document.statement);
    Ok(grants
        .filter(is_granted)
        .map(|grant| Permission {
            actions: grant.action,
            resources: grant.resource,
        })
        .collect())
}

/// Fails if no permission of a function allows the API to invoke it: on AWS its requests would get
/// 500.
pub(super) fn require_invocation(
    function: &str,
    api: &str,
    resources: &Resources<'_>,
) -> Result<(), TemplateError> {
    let all_routes = format!(
        "arn:${{AWS::Partition}}:execute-api:${{AWS::Region}}:${{AWS::AccountId}}:${{{api}}}/*"
    );
    let required = json!({
        "Action": "lambda:InvokeFunction",
        "FunctionName": resources.scope.reference(function)?,
        "Principal": "apigateway.amazonaws.com",
        "SourceArn": resources.scope.substitute(&all_routes, None)?,
    });

    let permissions = resources.each("AWS::Lambda::Permission", |id, resources| {
        resources.properties::<Value>(id)
    })?;
    if permissions.contains(&required) {
        return Ok(());
    }

    let message = format!("no AWS::Lambda::Permission allows `{api}` to invoke this {FUNCTION}");
    Err(TemplateError::new(function, message))
}
