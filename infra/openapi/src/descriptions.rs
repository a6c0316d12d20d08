//! Descriptions: those of fields in objects of requests are those of the same fields in responses.

use serde_json::{Map, Value};

use crate::operation::{COUNTERPARTS, Operation, resolved};

/// Adds descriptions and defaults to the fields of [`COUNTERPARTS`] in requests.
pub(crate) fn add_descriptions(operations: &mut [Operation], schemas: &Map<String, Value>) {
    for operation in operations {
        let content = operation.description.pointer_mut("/requestBody/content");
        let content = content.and_then(Value::as_object_mut);
        for media in content.into_iter().flat_map(Map::values_mut) {
            for (field, name) in COUNTERPARTS {
                let object = media.pointer_mut(&format!("/schema/properties/{field}"));
                if let (Some(object), Some(counterpart)) = (object, schemas.get(name)) {
                    describe_fields(object, counterpart, schemas);
                }
            }
        }
    }
}

/// Describes the fields of an object, and of the objects in it, as `counterpart` does.
fn describe_fields(object: &mut Value, counterpart: &Value, schemas: &Map<String, Value>) {
    let fields = object.get_mut("properties");
    let fields = fields.and_then(Value::as_object_mut);
    for (name, field) in fields.into_iter().flatten() {
        let described = &counterpart["properties"][name];
        for keyword in ["description", "default"] {
            let value = described.get(keyword);
            if let Some(value) = value.filter(|value| !value.is_null() && !value.is_object())
                && field.get(keyword).is_none()
            {
                field[keyword] = value.clone();
            }
        }

        let described = resolved(described, schemas);
        describe_fields(field, described, schemas);
        if let Some(items) = field.get_mut("items") {
            describe_fields(items, resolved(&described["items"], schemas), schemas);
        }
    }
}

/// Joins the lines of all descriptions: where the comments of the source code break them is no part
/// of the document.
pub(crate) fn join_lines(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" => *text = text.replace('\n', " "),
                    member => join_lines(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(join_lines),
        _ => {}
    }
}
