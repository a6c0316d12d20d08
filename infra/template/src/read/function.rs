//! Lambda functions.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::events::{self, Events};
use super::policies;
use crate::fields::{Fields, text_of};
use crate::model::{Function, RecursiveLoop};
use crate::node::{Entry, Node};
use crate::problem::Report;
use crate::resources::Resource;
use crate::scope::Scope;

const TIMEOUT_SECONDS: RangeInclusive<u32> = 1..=900;
const MEMORY_MIB: RangeInclusive<u32> = 128..=10_240;

/// Lambda's own.
const DEFAULT_TIMEOUT_SECONDS: u32 = 3;

/// Lambda's own.
const DEFAULT_MEMORY_MIB: u32 = 128;

/// How SAM builds a Rust binary.
const BUILD_METHOD: &str = "rust-cargolambda";

/// The function, with its role as SAM makes it, and what invokes it.
pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    fields: &mut Fields<'_, '_>,
    scope: &Scope<'_>,
) -> (Function, Events) {
    let report = scope.report;
    let events = fields
        .take("Events")
        .map(|node| events::read(id, node, scope))
        .unwrap_or_default();
    let mut permissions = policies::read(fields.one_or_more("Policies"), report);
    permissions.extend(events.permissions.clone());
    let function = Function {
        logical_id: id.to_owned(),
        name: resource.physical_name.clone(),
        binary: binary(resource, report).unwrap_or_default(),
        timeout_seconds: fields
            .number("Timeout", &TIMEOUT_SECONDS)
            .unwrap_or(DEFAULT_TIMEOUT_SECONDS),
        memory_mib: fields
            .number("MemorySize", &MEMORY_MIB)
            .unwrap_or(DEFAULT_MEMORY_MIB),
        environment: fields
            .take("Environment")
            .map(|node| environment(node, report))
            .unwrap_or_default(),
        permissions,
        has_url: fields
            .take("FunctionUrlConfig")
            .inspect(|node| check_url(node, report))
            .is_some(),
        recursive_loop: recursive_loop(fields, report),
    };
    (function, events)
}

/// `Terminate` is Lambda's default (`AWS::Lambda::Function` in the CloudFormation template
/// reference).
fn recursive_loop(fields: &mut Fields<'_, '_>, report: &Report) -> RecursiveLoop {
    let Some(node) = fields.take("RecursiveLoop") else {
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

/// The Cargo binary: `Metadata.BuildProperties.Binary`.
fn binary(resource: &Resource<'_>, report: &Report) -> Option<String> {
    let Some(metadata) = resource.metadata else {
        report.add(
            resource.line,
            "a function needs Metadata that names its binary",
        );
        return None;
    };
    let mut fields = Fields::of(metadata, "a function's Metadata", report);
    fields.without_effect(&["cfn-lint", "checkov"]);
    fields.required("BuildMethod");
    fields.fixed("BuildMethod", BUILD_METHOD);
    let properties = fields.required("BuildProperties");
    fields.finish();
    let mut fields = Fields::of(properties?, "BuildProperties", report);
    let binary = fields.required_text("Binary").map(str::to_owned);
    fields.finish();
    binary
}

fn environment(node: &Node, report: &Report) -> BTreeMap<String, String> {
    let mut fields = Fields::of(node, "Environment", report);
    fields.required("Variables");
    let mut variables = BTreeMap::new();
    for Entry { key, node, .. } in fields.entries("Variables") {
        variables.extend(text_of(node, key, report).map(|text| (key.clone(), text.to_owned())));
    }
    fields.finish();
    variables
}

/// The address is CloudFront's alone, and answers are buffered: that is what the local CDN
/// emulates.
fn check_url(node: &Node, report: &Report) {
    let mut fields = Fields::of(node, "FunctionUrlConfig", report);
    fields.required("AuthType");
    fields.fixed("AuthType", "AWS_IAM");
    fields.fixed("InvokeMode", "BUFFERED");
    fields.finish();
}
