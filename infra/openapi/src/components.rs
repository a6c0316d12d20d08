//! Moves the bodies of requests and responses, and the objects in requests, to named components:
//! generators name their types after them.

use serde_json::{Map, Value, json};

use crate::operation::{COUNTERPARTS, Operation, SCHEMAS};

/// Description of the parameters of a transformation.
const TRANSFORMATION: &str = "A transformed image: the parameters of its delivery URL.";

/// Moves the inline schemas of an operation to `schemas`.
pub(crate) fn move_bodies(operation: &mut Operation, schemas: &mut Map<String, Value>) {
    let id = capitalized(operation.endpoint.id);
    let description = &mut operation.description;

    let content = description.pointer_mut("/requestBody/content");
    let media = content.and_then(Value::as_object_mut);
    for media_type in media.into_iter().flat_map(Map::values_mut) {
        let body = &mut media_type["schema"];
        move_objects(body, schemas);
        move_transformation(body, schemas);
        move_to(&format!("{id}Request"), body, schemas);
    }

    let responses = description["responses"].as_object_mut();
    for (status, response) in responses.into_iter().flatten() {
        let body = response.pointer_mut("/content/application~1json/schema");
        if let Some(body) = body.filter(|body| status.starts_with('2') && body["$ref"].is_null()) {
            let name = response_name(body);
            move_to(&name, body, schemas);
        }
    }
}

/// Moves the parameters of a transformation, if the body has them as an object.
fn move_transformation(body: &mut Value, schemas: &mut Map<String, Value>) {
    if let Some(transformation) = body.pointer_mut("/properties/transformation") {
        transformation["description"] = json!(TRANSFORMATION);
        move_to("Transformation", transformation, schemas);
    }
}

/// Returns the name of a response with `data`: of a page, or of one resource.
fn response_name(body: &Value) -> String {
    let properties = &body["properties"];
    let resource = reference(&properties["data"]).unwrap_or_default();
    let kind = if properties.get("next_cursor").is_some() {
        "Page"
    } else {
        "Response"
    };
    format!("{resource}{kind}")
}

/// Moves the objects in the body of a request, which are named after their counterparts in
/// responses.
fn move_objects(body: &mut Value, schemas: &mut Map<String, Value>) {
    for (field, counterpart) in COUNTERPARTS {
        let object = body.pointer_mut(&format!("/properties/{field}"));
        if let Some(object) = object {
            move_object(object, counterpart, schemas);
        }
    }
}

fn move_object(object: &mut Value, counterpart: &str, schemas: &mut Map<String, Value>) {
    let described = schemas[counterpart].clone();
    let fields = object["properties"].as_object_mut();
    for (name, field) in fields.into_iter().flatten() {
        let nested = reference(&described["properties"][name]).map(str::to_owned);
        let Some(nested) = nested else { continue };
        if field.get("properties").is_some() {
            move_object(field, &nested, schemas);
        } else if field["items"].get("properties").is_some() {
            move_object(&mut field["items"], &nested, schemas);
        }
    }

    let description = object.get("description").cloned();
    object["description"] = described["description"].clone();
    move_to(&format!("{counterpart}Input"), object, schemas);
    if let Some(description) = description {
        object["description"] = description;
    }
}

/// Moves a schema to a component, and leaves a reference. Panics if the component exists with
/// another schema: then two types have one name.
fn move_to(name: &str, schema: &mut Value, schemas: &mut Map<String, Value>) {
    let reference = json!({"$ref": format!("#{SCHEMAS}/{name}")});
    let is_nullable = schema["type"] == json!(["object", "null"]);
    let replacement = if is_nullable {
        json!({"anyOf": [reference, {"type": "null"}]})
    } else {
        reference
    };

    let mut component = std::mem::replace(schema, replacement);
    if is_nullable {
        component["type"] = json!("object");
    }
    let existing = schemas.entry(name).or_insert_with(|| component.clone());
    assert_eq!(*existing, component, "two schemas are named {name}");
}

/// Returns the name of the component that a schema, its first alternative or its items refer to.
fn reference(schema: &Value) -> Option<&str> {
    let alternatives = [schema, &schema["anyOf"][0], &schema["items"]];
    alternatives
        .into_iter()
        .find_map(|schema| schema["$ref"].as_str()?.rsplit('/').next())
}

/// Returns a name in camel or snake case as a name of a type.
pub(crate) fn capitalized(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_uppercase())
    };
    name.split('_').map(word).collect()
}
