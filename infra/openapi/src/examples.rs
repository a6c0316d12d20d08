//! Adds the recorded requests and responses to the document: `examples.json`, by operation id.

use serde_json::{Map, Value};

/// Adds the example of each operation that has one.
pub(crate) fn add_examples(document: &mut Value, examples: &Map<String, Value>) {
    let paths = document["paths"].as_object_mut();
    let operations = paths
        .into_iter()
        .flat_map(Map::values_mut)
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut);

    for operation in operations {
        let id = operation["operationId"].as_str().unwrap_or_default();
        let Some(example) = examples.get(id) else {
            continue;
        };
        let body = operation.pointer_mut("/requestBody/content/application~1json");
        add_example(body, &example["request"]);
        let status = &example["status"];
        let pointer = format!("/responses/{status}/content/application~1json");
        add_example(operation.pointer_mut(&pointer), &example["response"]);
    }
}

fn add_example(media_type: Option<&mut Value>, example: &Value) {
    if let Some(media_type) = media_type.filter(|_| !example.is_null()) {
        media_type["example"] = example.clone();
    }
}
