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
        let status = &example["status"];
        let response = format!("/responses/{status}/content");
        add_example(operation, "/requestBody/content", &example["request"]);
        add_example(operation, &response, &example["response"]);
    }

    let message = &examples["getWebhookDelivery"]["response"]["data"];
    let event = message["event"].as_str().unwrap_or_default();
    let webhook = &mut document["webhooks"][event]["post"];
    let payload = serde_json::from_str(message["payload"].as_str().unwrap_or_default());
    add_example(
        webhook,
        "/requestBody/content",
        &payload.unwrap_or_default(),
    );
}

/// Adds an example to the media type at a pointer, if there is one.
fn add_example(operation: &mut Value, content: &str, example: &Value) {
    let media_types = operation
        .pointer_mut(content)
        .and_then(Value::as_object_mut);
    if let Some(media_types) = media_types.filter(|_| !example.is_null()) {
        for media_type in media_types.values_mut() {
            media_type["example"] = example.clone();
        }
    }
}
