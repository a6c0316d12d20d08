//! The supported resource types: `catalog.yaml`.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{error::TemplateError, text, yaml};

static TYPES: LazyLock<BTreeMap<String, ResourceType>> = LazyLock::new(|| {
    let types = yaml::parse(include_str!("catalog.yaml")).and_then(text::typed);
    types.unwrap_or_else(|error| panic!("catalog.yaml: {error}"))
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub(crate) struct ResourceType {
    /// Pattern of the value of `!Ref`.
    #[serde(rename = "Ref", default = "physical_name")]
    pub(crate) reference: String,
    /// Patterns of the values of `!GetAtt`.
    #[serde(default)]
    pub(crate) attributes: BTreeMap<String, String>,
    /// Paths of properties without a local effect.
    #[serde(default)]
    without_effect: Vec<String>,
    /// The only emulated values of properties, by path.
    #[serde(default)]
    only: BTreeMap<String, Value>,
}

/// Returns the type of that name, if it is supported.
pub(crate) fn resource_type(name: &str) -> Option<&'static ResourceType> {
    TYPES.get(name)
}

/// Returns the properties of a resource without any.
pub(crate) fn no_properties() -> Value {
    Value::Object(Map::new())
}

fn physical_name() -> String {
    "${Name}".to_owned()
}

impl ResourceType {
    /// Removes the properties without a local effect.
    pub(crate) fn remove_without_effect(&self, properties: &mut Value) {
        for path in &self.without_effect {
            visit(properties, path, &mut |parent, key| {
                parent.remove(key);
            });
        }
    }

    /// Removes the properties with a single emulated value. Fails if one has another value.
    pub(crate) fn remove_only(&self, properties: &mut Value) -> Result<(), TemplateError> {
        for (path, only) in &self.only {
            let mut is_only = true;
            visit(properties, path, &mut |parent, key| {
                is_only &= parent.remove(key).as_ref() == Some(only);
            });
            if !is_only {
                return Err(TemplateError::new(path, format!("must be {only}")));
            }
        }
        Ok(())
    }
}

/// Calls `f` for each mapping that may have the property of a path, in all branches of `!If`.
fn visit(value: &mut Value, path: &str, f: &mut impl FnMut(&mut Map<String, Value>, &str)) {
    let entries = match value {
        Value::Array(items) => return items.iter_mut().for_each(|item| visit(item, path, f)),
        Value::Object(entries) => entries,
        _ => return,
    };
    if let Some(branches) = entries.get_mut("Fn::If") {
        return visit(branches, path, f);
    }

    match path.split_once('.') {
        None => f(entries, path),
        Some(("*", rest)) => entries.values_mut().for_each(|entry| visit(entry, rest, f)),
        Some((key, rest)) => {
            if let Some(entry) = entries.get_mut(key) {
                visit(entry, rest, f);
            }
        }
    }
}
