//! DynamoDB tables.

use std::collections::BTreeMap;

use crate::fields::Fields;
use crate::model::{AttributeType, Key, Table};
use crate::node::Node;
use crate::problem::Report;
use crate::resources::Resource;
use crate::scope::Scope;

pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    fields: &mut Fields<'_, '_>,
    scope: &Scope<'_>,
) -> Option<Table> {
    let report = scope.report;
    let definitions = fields.required("AttributeDefinitions");
    let attributes = attributes(fields.items("AttributeDefinitions"), report);
    let key_node = fields.required("KeySchema");
    let key = key_node.and_then(|node| key(node, &attributes, report));
    let time_to_live = fields
        .take("TimeToLiveSpecification")
        .and_then(|node| time_to_live(node, report));
    if let (Some(definitions), Some(key)) = (definitions, &key) {
        let used = |name: &str| key.partition == name || key.sort.as_deref() == Some(name);
        for unused in attributes.keys().filter(|name| !used(name)) {
            report.add(
                definitions.line,
                format!("no key uses the attribute `{unused}`"),
            );
        }
    }
    let (logical_id, name) = (id.to_owned(), resource.physical_name.clone());
    Some(Table {
        logical_id,
        name,
        key: key?,
        attributes,
        time_to_live,
    })
}

fn attributes(definitions: &[Node], report: &Report) -> BTreeMap<String, AttributeType> {
    let mut attributes = BTreeMap::new();
    for definition in definitions {
        let mut fields = Fields::of(definition, "an attribute definition", report);
        let name = fields.required_text("AttributeName");
        let attribute_type = match fields.required_text("AttributeType") {
            Some("S") => Some(AttributeType::String),
            Some("N") => Some(AttributeType::Number),
            Some("B") => Some(AttributeType::Binary),
            Some(_) => {
                report.add(definition.line, "`AttributeType` must be S, N or B");
                None
            }
            None => None,
        };
        fields.finish();
        attributes.extend(name.map(str::to_owned).zip(attribute_type));
    }
    attributes
}

/// `HASH` first, then perhaps `RANGE`.
fn key(
    schema: &Node,
    attributes: &BTreeMap<String, AttributeType>,
    report: &Report,
) -> Option<Key> {
    let mut parts = Vec::new();
    for part in schema.list().unwrap_or_default() {
        let mut fields = Fields::of(part, "a key's part", report);
        let (name, role) = (
            fields.required_text("AttributeName")?,
            fields.required_text("KeyType")?,
        );
        fields.finish();
        if !attributes.contains_key(name) {
            report.add(part.line, format!("the attribute `{name}` is not defined"));
        }
        parts.push((name.to_owned(), role));
    }
    match parts.as_slice() {
        [(partition, "HASH")] => Some(Key {
            partition: partition.clone(),
            sort: None,
        }),
        [(partition, "HASH"), (sort, "RANGE")] => Some(Key {
            partition: partition.clone(),
            sort: Some(sort.clone()),
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
    let mut fields = Fields::of(node, "a time to live", report);
    let enabled = fields.flag("Enabled");
    let attribute = fields.required_text("AttributeName");
    fields.finish();
    attribute
        .filter(|_| enabled == Some(true))
        .map(str::to_owned)
}
