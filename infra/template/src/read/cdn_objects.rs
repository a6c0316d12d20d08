//! The cache behavior of the distribution with an S3 origin, whose requests need a signed URL.

use super::cdn::{Origin, find};
use crate::catalog::{
    BUCKET_POLICY, CACHE_POLICY, KEY_GROUP, Kind, PUBLIC_KEY, RESPONSE_HEADERS_POLICY,
};
use crate::model::{ObjectBehavior, Permission, PublicKey, ResponseHeader};
use crate::node::Node;
use crate::properties::Properties;
use crate::resolve::resolve;
use crate::scope::Scope;

/// Service principal of CloudFront.
const CLOUD_FRONT: &str = "cloudfront.amazonaws.com";

/// Without an effect locally: the methods are fixed, a policy of AWS passes on the headers of CORS, and the
/// gateway answers preflights instead of the function.
const WITHOUT_EFFECT: &[&str] = &[
    "AllowedMethods",
    "CachedMethods",
    "Compress",
    "FunctionAssociations",
    "OriginRequestPolicyId",
    "ViewerProtocolPolicy",
];

/// Reads the behavior. Reports an error unless its origin is a bucket of this template, and its URLs
/// must be signed.
pub(super) fn read(
    behavior: &Node,
    origins: &[Origin<'_>],
    scope: &Scope<'_>,
) -> Option<ObjectBehavior> {
    let mut properties = Properties::of(behavior, "a cache behavior", scope.report);
    properties.without_effect(WITHOUT_EFFECT);
    let pattern = properties.required_text("PathPattern");
    let target = properties.required("TargetOriginId");
    properties.required("TrustedKeyGroups");
    let key_groups = properties.texts("TrustedKeyGroups");
    let cache_policy = properties.required_text("CachePolicyId");
    let headers_policy = properties.text("ResponseHeadersPolicyId");
    properties.finish();

    let path_prefix = pattern.and_then(|pattern| pattern.strip_suffix('*'));
    if path_prefix.is_none_or(|prefix| !prefix.starts_with('/') || prefix.contains(['*', '?'])) {
        let message = "`PathPattern` is supported as a prefix with `*` only";
        scope.report.add(behavior.line, message);
    }
    let domain = find(origins, target?, scope)?.domain;
    let (_, bucket) = scope.expect(Kind::Bucket, Some("RegionalDomainName"), domain)?;

    Some(ObjectBehavior {
        path_prefix: path_prefix?.to_owned(),
        bucket: bucket.physical_name.clone(),
        public_keys: key_groups
            .iter()
            .flat_map(|group| public_keys(group, behavior, scope))
            .collect(),
        query_parameters: query_parameters(cache_policy?, scope),
        response_headers: headers_policy
            .map(|policy| response_headers(policy, scope))
            .unwrap_or_default(),
        permissions: permissions(scope),
    })
}

/// Returns the keys of a key group. Reports an error if the group or one of its keys does not exist.
fn public_keys(group: &str, behavior: &Node, scope: &Scope<'_>) -> Vec<PublicKey> {
    let items = resource(KEY_GROUP, group, scope)
        .map(|group| texts(&group, &["KeyGroupConfig", "Items"]))
        .unwrap_or_default();
    let keys: Vec<PublicKey> = items
        .into_iter()
        .filter_map(|id| {
            let key = resource(PUBLIC_KEY, &id, scope)?;
            let pem = text(&key, &["PublicKeyConfig", "EncodedKey"])?;
            Some(PublicKey { id, pem })
        })
        .collect();

    if keys.is_empty() {
        let message = "`TrustedKeyGroups` must name key groups with public keys of this template";
        scope.report.add(behavior.line, message);
    }
    keys
}

fn query_parameters(policy: &str, scope: &Scope<'_>) -> Vec<String> {
    let path = [
        "CachePolicyConfig",
        "ParametersInCacheKeyAndForwardedToOrigin",
        "QueryStringsConfig",
        "QueryStrings",
    ];
    resource(CACHE_POLICY, policy, scope)
        .map(|policy| texts(&policy, &path))
        .unwrap_or_default()
}

fn response_headers(policy: &str, scope: &Scope<'_>) -> Vec<ResponseHeader> {
    let Some(policy) = resource(RESPONSE_HEADERS_POLICY, policy, scope) else {
        return Vec::new();
    };
    let Some(config) = policy.get("ResponseHeadersPolicyConfig") else {
        return Vec::new();
    };
    let cors = |name: &str| {
        let list = texts(config, &["CorsConfig", name, "Items"]).join(", ");
        (!list.is_empty()).then_some(list)
    };
    let security = config.get("SecurityHeadersConfig");
    let policy_of_content = ["ContentSecurityPolicy", "ContentSecurityPolicy"];

    let headers = [
        (
            "x-content-type-options",
            security
                .and_then(|security| security.get("ContentTypeOptions"))
                .map(|_| "nosniff".to_owned()),
        ),
        (
            "content-security-policy",
            security.and_then(|security| text(security, &policy_of_content)),
        ),
        (
            "access-control-allow-origin",
            cors("AccessControlAllowOrigins"),
        ),
        (
            "access-control-expose-headers",
            cors("AccessControlExposeHeaders"),
        ),
    ];
    headers
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| ResponseHeader { name, value }))
        .collect()
}

/// Returns the permissions that bucket policies grant to CloudFront.
fn permissions(scope: &Scope<'_>) -> Vec<Permission> {
    let policies = scope
        .of_kind(Kind::Inert)
        .filter(|(_, resource)| resource.definition.name == BUCKET_POLICY)
        .filter_map(|(_, resource)| resolve(scope, &resource.properties));

    let mut permissions = Vec::new();
    for policy in policies {
        let statements = descend(&policy, &["PolicyDocument", "Statement"]).and_then(Node::list);
        permissions.extend(statements.into_iter().flatten().filter_map(permission));
    }
    permissions
}

fn permission(statement: &Node) -> Option<Permission> {
    let is_of_cdn = text(statement, &["Effect"])? == "Allow"
        && text(statement, &["Principal", "Service"])? == CLOUD_FRONT;
    is_of_cdn.then(|| Permission {
        actions: texts(statement, &["Action"]),
        resources: texts(statement, &["Resource"]),
    })
}

/// Returns the properties of the resource of a type whose reference has this value.
fn resource(type_name: &str, reference: &str, scope: &Scope<'_>) -> Option<Node> {
    let (_, resource) = scope.of_kind(Kind::Inert).find(|(id, resource)| {
        resource.definition.name == type_name
            && scope.reference(id, resource.line).as_deref() == Some(reference)
    })?;
    resolve(scope, &resource.properties)
}

fn descend<'tree>(node: &'tree Node, path: &[&str]) -> Option<&'tree Node> {
    path.iter().try_fold(node, |node, key| node.get(key))
}

fn text(node: &Node, path: &[&str]) -> Option<String> {
    descend(node, path)?.text().map(str::to_owned)
}

/// Returns the texts of a list. A single text counts as a list of one item.
fn texts(node: &Node, path: &[&str]) -> Vec<String> {
    let Some(node) = descend(node, path) else {
        return Vec::new();
    };
    let items = node.list().unwrap_or(std::slice::from_ref(node));
    items
        .iter()
        .filter_map(Node::text)
        .map(str::to_owned)
        .collect()
}
