//! The `Resources` section: what there is and how it is called, before anything in it is read.
//!
//! Invariant: every resource here is of a known type and carries known attributes only.

use std::collections::BTreeMap;

use crate::catalog::{self, Kind, ResourceType};
use crate::fields::Fields;
use crate::node::{Entry, Node, Value};
use crate::resolve::resolve;
use crate::scope::Scope;

/// CloudFormation's bound on resources of one template.
const MAX_RESOURCES: usize = 500;

/// A resource, not yet read.
pub(crate) struct Resource<'tree> {
    /// Line of the logical id.
    pub(crate) line: usize,
    pub(crate) definition: &'static ResourceType,
    pub(crate) physical_name: String,
    /// Unresolved, with `Globals` merged in, without the property that sets the name.
    pub(crate) properties: Node,
    pub(crate) metadata: Option<&'tree Node>,
    /// Whether its condition lets it exist.
    pub(crate) present: bool,
}

/// Reads which resources there are; `scope` knows the parameters alone.
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
    entries
        .iter()
        .filter_map(|entry| {
            Some((
                entry.key.clone(),
                resource(entry, section, function_globals, scope)?,
            ))
        })
        .collect()
}

fn resource<'tree>(
    entry: &'tree Entry,
    section: &Node,
    function_globals: Option<&Node>,
    scope: &Scope<'_>,
) -> Option<Resource<'tree>> {
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
        scope
            .report
            .add(entry.line, format!("`{}` is a parameter, too", entry.key));
    }
    let mut fields = Fields::of(&entry.node, "a resource", scope.report);
    fields.without_effect(&["DeletionPolicy", "UpdateReplacePolicy"]);
    let definition = fields
        .required("Type")
        .and_then(|node| definition(node, scope));
    let own = fields.take("Properties");
    let metadata = fields.take("Metadata");
    let condition = fields.take("Condition");
    for needed in fields.one_or_more("DependsOn") {
        if needed.text().and_then(|id| section.get(id)).is_none() {
            scope
                .report
                .add(needed.line, "DependsOn must name resources");
        }
    }
    fields.finish();

    let definition = definition?;
    let own = own.cloned().unwrap_or(Node {
        line: entry.line,
        value: Value::Map(Vec::new()),
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
    let physical_name = given_name(definition, &mut properties, scope)
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

fn definition(node: &Node, scope: &Scope<'_>) -> Option<&'static ResourceType> {
    let name = node.text().unwrap_or_default();
    let definition = catalog::resource_type(name);
    if definition.is_none() {
        scope.report.add(
            node.line,
            format!("the resource type `{name}` is not understood"),
        );
    }
    definition
}

fn given_name(
    definition: &ResourceType,
    properties: &mut Node,
    scope: &Scope<'_>,
) -> Option<String> {
    let node = resolve(scope, &properties.remove(definition.name_property?)?)?;
    if node.text().is_none() && node.value != Value::Broken {
        scope.report.add(node.line, "a name must be text");
    }
    node.text().map(str::to_owned)
}
