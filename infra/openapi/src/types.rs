//! Rewrites schemas in terms that generators of clients understand.

use http_api::describe::ValueForms;
use serde_json::{Map, Value, json};

use crate::{
    components::capitalized,
    operation::{Operation, SCHEMAS, resolved},
};

/// Keyword of a schema that describes all values that the API accepts instead of the canonical
/// ones.
const ACCEPTED: &str = "x-accepted";
/// A file with selected fields, and the whole file that stands for it in the published document:
/// types without any required field would burden every client that selects none.
const SELECTED: (&str, &str) = ("SelectedFileRecord", "FileRecord");
/// Keyword of a schema with the schemas of fields by name.
const PROPERTIES: &str = "properties";
/// Enumerations to which later versions of the API may add values.
const EXTENSIBLE: [&str; 4] = [
    "ResourceType",
    "WebhookEvent",
    "WebhookFailure",
    "ProcessingStatus",
];

/// Reduces the description of the API to these forms of values.
pub(crate) fn select_forms(
    operations: &mut [Operation],
    schemas: &mut Map<String, Value>,
    forms: ValueForms,
) {
    for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
        let accepted = schema.remove(ACCEPTED);
        if let (ValueForms::Accepted, Some(Value::Object(mut accepted))) = (forms, accepted) {
            let description = schema.remove("description");
            accepted.extend(description.map(|text| ("description".to_owned(), text)));
            *schema = accepted;
        }
    }

    if forms == ValueForms::Canonical {
        let reference = |name: &str| json!(format!("#{SCHEMAS}/{name}"));
        let (selected, whole) = (reference(SELECTED.0), reference(SELECTED.1));
        schemas.remove(SELECTED.0);
        for operation in operations {
            for_each_object(&mut operation.description, &mut |object| {
                if object.get("$ref") == Some(&selected) {
                    object.insert("$ref".to_owned(), whole.clone());
                }
            });
        }
    }
}

/// Rewrites enumerations, integers, defaults and unions of objects in all schemas.
pub(crate) fn simplify(operations: &mut [Operation], schemas: &mut Map<String, Value>) {
    let mut rewrite = |object: &mut Map<String, Value>| {
        use_one_enum(object, &Map::new());
        use_standard_integer(object);
        drop_unusual_default(object);
    };
    for operation in operations {
        for_each_object(&mut operation.description, &mut rewrite);
    }
    for schema in schemas.values_mut() {
        for_each_object(schema, &mut rewrite);
    }

    let with_enums = schemas.clone();
    for (name, schema) in &mut *schemas {
        if let Some(schema) = schema.as_object_mut() {
            use_one_enum(schema, &with_enums);
            if EXTENSIBLE.contains(&name.as_str()) {
                schema.insert("x-extensible-enum".to_owned(), json!(true));
            }
        }
    }
    name_variants(schemas);
}

/// Calls `rewrite` with each object in a value, the innermost first, except the maps of properties,
/// whose keys are names of fields.
fn for_each_object(value: &mut Value, rewrite: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Array(items) => {
            for item in items {
                for_each_object(item, rewrite);
            }
        }
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get_mut(PROPERTIES) {
                for schema in properties.values_mut() {
                    for_each_object(schema, rewrite);
                }
            }

            let others = object.iter_mut().filter(|(key, _)| *key != PROPERTIES);
            for (_, value) in others {
                for_each_object(value, rewrite);
            }
            rewrite(object);
        }
        _ => {}
    }
}

/// Replaces alternatives of constants by one enumeration, with its descriptions in an extension.
fn use_one_enum(object: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let alternatives = ["oneOf", "anyOf"].into_iter().find_map(|keyword| {
        let alternatives = object.get(keyword)?.as_array()?;
        let values: Option<Vec<_>> = alternatives
            .iter()
            .map(|schema| constants(resolved(schema, schemas)))
            .collect();
        Some((keyword, values?.concat()))
    });
    let Some((keyword, constants)) = alternatives else {
        return;
    };

    let (values, descriptions): (Vec<Value>, Vec<Value>) = constants.into_iter().unzip();
    object.remove(keyword);
    object.insert("type".to_owned(), json!("string"));
    object.insert("enum".to_owned(), json!(values));
    if descriptions.iter().any(|text| text != "") {
        object.insert("x-enum-descriptions".to_owned(), json!(descriptions));
    }
}

/// Returns the strings that a schema allows, with their descriptions; `None` if it allows others.
fn constants(schema: &Value) -> Option<Vec<(Value, Value)>> {
    if schema["type"] != "string" {
        return None;
    }
    if let Some(value) = schema.get("const") {
        let description = schema.get("description").cloned();
        return Some(vec![(value.clone(), description.unwrap_or(json!("")))]);
    }

    let values = schema["enum"].as_array()?.iter().enumerate();
    let description = |index: usize| schema["x-enum-descriptions"].get(index).cloned();
    Some(
        values
            .map(|(index, value)| (value.clone(), description(index).unwrap_or(json!(""))))
            .collect(),
    )
}

/// Replaces the formats of unsigned integers, which OpenAPI does not define.
fn use_standard_integer(object: &mut Map<String, Value>) {
    let format = object.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| format.starts_with("uint")) {
        object.insert("format".to_owned(), json!("int64"));
    }
}

/// Removes defaults that generators stumble over: of objects, whose fields have their own, beside
/// references, and null.
fn drop_unusual_default(object: &mut Map<String, Value>) {
    let is_object = |default: &Value| default.is_object() || default.is_null();
    if object.contains_key("$ref") || object.get("default").is_some_and(is_object) {
        object.remove("default");
    }
}

/// Moves the variants of a union, which differ by a constant `type`, to separate components.
fn name_variants(schemas: &mut Map<String, Value>) {
    let names: Vec<String> = schemas.keys().cloned().collect();
    for name in names {
        let mut variants = match schemas[&name].get_mut("oneOf") {
            Some(Value::Array(variants)) => std::mem::take(variants),
            _ => continue,
        };

        let mut mapping = Map::new();
        for variant in &mut variants {
            let constant = variant["properties"]["type"]["const"].clone();
            let kind = constant.as_str().expect("a union of objects with a type");
            let component = format!("{}{name}", capitalized(kind));
            let reference = format!("#{SCHEMAS}/{component}");
            let moved = std::mem::replace(variant, json!({ "$ref": reference }));
            mapping.insert(kind.to_owned(), json!(reference));
            schemas.insert(component, moved);
        }
        schemas[&name]["oneOf"] = json!(variants);
        schemas[&name]["discriminator"] = json!({"propertyName": "type", "mapping": mapping});
    }
}
