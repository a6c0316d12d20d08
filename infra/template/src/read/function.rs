//! Lambda functions.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::role;
use crate::diagnostic::Report;
use crate::model::{Function, RecursiveLoop};
use crate::node::{Entry, Node};
use crate::properties::{Properties, text_of};
use crate::resource::Resource;
use crate::scope::Scope;

const TIMEOUT_SECONDS: RangeInclusive<u32> = 1..=900;
const MEMORY_MIB: RangeInclusive<u32> = 128..=10_240;

/// Lambda's default.
const DEFAULT_TIMEOUT_SECONDS: u32 = 3;

/// Lambda's default.
const DEFAULT_MEMORY_MIB: u32 = 128;

/// Variable with the ARN of the role that presigns URLs.
const PRESIGN_ROLE_VARIABLE: &str = "PRESIGN_ROLE_ARN";

/// The build method of a Rust binary in SAM.
const BUILD_METHOD: &str = "rust-cargolambda";

/// Reads a function with the permissions of its role.
pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> Function {
    let report = scope.report;
    let role = properties.take("Role");
    let variables = properties.take("Environment");

    Function {
        logical_id: id.to_owned(),
        name: resource.physical_name.clone(),
        binary: binary(resource, report).unwrap_or_default(),
        timeout_seconds: properties
            .number("Timeout", &TIMEOUT_SECONDS)
            .unwrap_or(DEFAULT_TIMEOUT_SECONDS),
        memory_mib: properties
            .number("MemorySize", &MEMORY_MIB)
            .unwrap_or(DEFAULT_MEMORY_MIB),
        environment: variables
            .map(|node| environment(node, report))
            .unwrap_or_default(),
        permissions: role
            .map(|arn| role::permissions_of(arn, role::LAMBDA, scope))
            .unwrap_or_default(),
        presign_permissions: variables.and_then(presign_role).map(|arn| {
            let own_role = role.and_then(Node::text).unwrap_or_default();
            role::permissions_of(arn, own_role, scope)
        }),
        has_url: properties
            .take("FunctionUrlConfig")
            .inspect(|node| check_url(node, report))
            .is_some(),
        recursive_loop: recursive_loop(properties, report),
    }
}

/// `Terminate` is Lambda's default (`AWS::Lambda::Function` in the CloudFormation template
/// reference).
fn recursive_loop(properties: &mut Properties<'_, '_>, report: &Report) -> RecursiveLoop {
    let Some(node) = properties.take("RecursiveLoop") else {
        return RecursiveLoop::Terminate;
    };

    match node.text() {
        Some("Allow") => RecursiveLoop::Allow,
        Some("Terminate") => RecursiveLoop::Terminate,
        _ => {
            report.add(node.line, "`RecursiveLoop` must be Allow or Terminate");
            RecursiveLoop::Terminate
        }
    }
}

/// Returns the Cargo binary: `Metadata.BuildProperties.Binary`.
fn binary(resource: &Resource<'_>, report: &Report) -> Option<String> {
    let Some(metadata) = resource.metadata else {
        report.add(
            resource.line,
            "a function requires `Metadata` with its binary",
        );
        return None;
    };

    let mut properties = Properties::of(metadata, "a function's Metadata", report);
    properties.without_effect(&["cfn-lint", "checkov"]);
    properties.required("BuildMethod");
    properties.fixed("BuildMethod", BUILD_METHOD);
    let build_node = properties.required("BuildProperties");
    properties.finish();

    let mut build = Properties::of(build_node?, "BuildProperties", report);
    let binary = build.required_text("Binary").map(str::to_owned);
    build.finish();
    binary
}

fn environment(node: &Node, report: &Report) -> BTreeMap<String, String> {
    let mut properties = Properties::of(node, "Environment", report);
    properties.required("Variables");
    let mut variables = BTreeMap::new();
    for Entry { key, node, .. } in properties.entries("Variables") {
        variables.extend(text_of(node, key, report).map(|text| (key.clone(), text.to_owned())));
    }
    properties.finish();
    variables
}

/// Returns the ARN of the role that presigns URLs.
fn presign_role(environment: &Node) -> Option<&Node> {
    let entries = environment.get("Variables")?.map()?;
    let entry = entries
        .iter()
        .find(|entry| entry.key == PRESIGN_ROLE_VARIABLE)?;
    Some(&entry.node)
}

/// Checks that the function URL requires IAM credentials, which only CloudFront has, and that
/// responses are buffered, as the local CDN emulates.
fn check_url(node: &Node, report: &Report) {
    let mut properties = Properties::of(node, "FunctionUrlConfig", report);
    properties.required("AuthType");
    properties.fixed("AuthType", "AWS_IAM");
    properties.fixed("InvokeMode", "BUFFERED");
    properties.finish();
}
