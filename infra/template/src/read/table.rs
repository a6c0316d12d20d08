//! DynamoDB tables.

use std::collections::BTreeMap;

use crate::diagnostic::Report;
use crate::model::{AttributeType, PrimaryKey, TableSpec};
use crate::node::Node;
use crate::properties::Properties;
use crate::resource::Resource;
use crate::scope::Scope;

pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> Option<TableSpec> {
    let report = scope.report;

    let definitions = properties.required("AttributeDefinitions");
    let attributes = attributes(properties.items("AttributeDefinitions"), report);
    let key_node = properties.required("KeySchema");
    let key = key_node.and_then(|node| key(node, &attributes, report));
    let time_to_live = properties
        .take("TimeToLiveSpecification")
        .and_then(|node| time_to_live(node, report));

    if let Some(definitions) = definitions
        && let Some(key) = &key
    {
        let used = |name: &str| key.partition == name || key.sort.as_deref() == Some(name);
        for unused in attributes.keys().filter(|name| !used(name)) {
            report.add(
                definitions.line,
                format!("no key uses the attribute `{unused}`"),
            );
        }
    }

    Some(TableSpec {
        logical_id: id.to_owned(),
        name: resource.physical_name.clone(),
        key: key?,
        attributes,
        time_to_live,
    })
}

fn attributes(definitions: &[Node], report: &Report) -> BTreeMap<String, AttributeType> {
    let mut attributes = BTreeMap::new();

    for definition in definitions {
        let mut properties = Properties::of(definition, "an attribute definition", report);
        let name = properties.required_text("AttributeName");
        let attribute_type = match properties.required_text("AttributeType") {
            Some("S") => Some(AttributeType::String),
            Some("N") => Some(AttributeType::Number),
            Some("B") => Some(AttributeType::Binary),
            Some(_) => {
                report.add(definition.line, "`AttributeType` must be S, N or B");
                None
            }
            None => None,
        };
        properties.finish();

        attributes.extend(name.map(str::to_owned).zip(attribute_type));
    }

    attributes
}

/// One element of a `KeySchema`.
struct KeyPart<'tree> {
    name: &'tree str,
    /// `HASH` or `RANGE`.
    role: &'tree str,
}

/// Reads a `KeySchema`: `HASH`, then optionally `RANGE`.
fn key(
    schema: &Node,
    attributes: &BTreeMap<String, AttributeType>,
    report: &Report,
) -> Option<PrimaryKey> {
    let mut parts = Vec::new();

    for part in schema.list().unwrap_or_default() {
        let mut properties = Properties::of(part, "a key's part", report);
        let name = properties.required_text("AttributeName")?;
        let role = properties.required_text("KeyType")?;
        properties.finish();

        if !attributes.contains_key(name) {
            report.add(part.line, format!("the attribute `{name}` is not defined"));
        }
        parts.push(KeyPart { name, role });
    }

    match parts.as_slice() {
        [partition] if partition.role == "HASH" => Some(PrimaryKey {
            partition: partition.name.to_owned(),
            sort: None,
        }),
        [partition, sort] if partition.role == "HASH" && sort.role == "RANGE" => Some(PrimaryKey {
            partition: partition.name.to_owned(),
            sort: Some(sort.name.to_owned()),
        }),
        _ => {
            report.add(
                schema.line,
                "a key has one HASH part, and after it at most one RANGE part",
            );
            None
        }
    }
}

fn time_to_live(node: &Node, report: &Report) -> Option<String> {
    let mut properties = Properties::of(node, "a time to live", report);
    let enabled = properties.flag("Enabled");
    let attribute = properties.required_text("AttributeName");
    properties.finish();

    attribute
        .filter(|_| enabled == Some(true))
        .map(str::to_owned)
}
