//! Indexes the `Resources` section by logical id, with types and physical names.
//!
//! Invariant: every indexed resource has a supported type and supported attributes only.

use std::collections::BTreeMap;

use crate::catalog::{self, Kind, ResourceDefinition};
use crate::node::{Entry, Node, NodeValue};
use crate::properties::Properties;
use crate::resolve::resolve;
use crate::resource::Resource;
use crate::scope::Scope;

/// CloudFormation's maximum number of resources.
const MAX_RESOURCES: usize = 500;

/// Indexes the resources. `scope` contains the parameters only.
pub(crate) fn index<'tree>(
    section: Option<&'tree Node>,
    function_globals: Option<&Node>,
    scope: &Scope<'_>,
) -> BTreeMap<String, Resource<'tree>> {
    let Some(section) = section else {
        return BTreeMap::new();
    };
    let Some(entries) = section.map() else {
        scope
            .report
            .add(section.line, "Resources must be a mapping");
        return BTreeMap::new();
    };

    if entries.len() > MAX_RESOURCES {
        scope
            .report
            .add(section.line, format!("more than {MAX_RESOURCES} resources"));
    }

    let mut resources = BTreeMap::new();
    for entry in entries {
        if let Some(resource) = resource(entry, section, function_globals, scope) {
            resources.insert(entry.key.clone(), resource);
        }
    }

    resources
}

fn resource<'tree>(
    entry: &'tree Entry,
    section: &Node,
    function_globals: Option<&Node>,
    scope: &Scope<'_>,
) -> Option<Resource<'tree>> {
    check_logical_id(entry, scope);

    let mut attributes = Properties::of(&entry.node, "a resource", scope.report);
    attributes.without_effect(&["DeletionPolicy", "UpdateReplacePolicy"]);
    let definition = attributes
        .required("Type")
        .and_then(|node| definition(node, scope));
    let own = attributes.take("Properties");
    let metadata = attributes.take("Metadata");
    let condition = attributes.take("Condition");

    for needed in attributes.one_or_more("DependsOn") {
        if needed.text().and_then(|id| section.get(id)).is_none() {
            scope.report.add(
                needed.line,
                "`DependsOn` must name resources of this template",
            );
        }
    }
    attributes.finish();

    let definition = definition?;
    let own = own.cloned().unwrap_or(Node {
        line: entry.line,
        value: NodeValue::Map(Vec::new()),
    });
    let mut properties = match function_globals {
        Some(globals) if definition.kind == Kind::Function => globals.merged_with(&own),
        _ => own,
    };

    let present = condition.is_none_or(|condition| {
        scope
            .condition(condition.text().unwrap_or_default(), condition.line)
            .unwrap_or(false)
    });

    let physical_name = explicit_name(definition, &mut properties, scope)
        .unwrap_or_else(|| scope.default_name(definition, &entry.key));

    Some(Resource {
        line: entry.line,
        definition,
        physical_name,
        properties,
        metadata,
        present,
    })
}

/// Reports a logical id that is not letters and digits, or that is the name of a parameter.
fn check_logical_id(entry: &Entry, scope: &Scope<'_>) {
    if entry.key.is_empty()
        || !entry
            .key
            .chars()
            .all(|character| character.is_ascii_alphanumeric())
    {
        scope.report.add(
            entry.line,
            format!("the logical id `{}` must be letters and digits", entry.key),
        );
    }

    if scope.is_parameter(&entry.key) {
        scope.report.add(
            entry.line,
            format!("`{}` is also the name of a parameter", entry.key),
        );
    }
}

fn definition(node: &Node, scope: &Scope<'_>) -> Option<&'static ResourceDefinition> {
    let name = node.text().unwrap_or_default();
    let definition = catalog::resource_type(name);
    if definition.is_none() {
        scope.report.add(
            node.line,
            format!("the resource type `{name}` is not supported"),
        );
    }
    definition
}

/// Removes the property that sets the physical name, and returns its value.
fn explicit_name(
    definition: &ResourceDefinition,
    properties: &mut Node,
    scope: &Scope<'_>,
) -> Option<String> {
    let node = resolve(scope, &properties.remove(definition.name_property?)?)?;
    if node.text().is_none() && node.value != NodeValue::Broken {
        scope.report.add(node.line, "a name must be text");
    }
    node.text().map(str::to_owned)
}
