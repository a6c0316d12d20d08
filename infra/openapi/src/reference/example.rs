//! Examples of requests: a `curl` command with the required fields.

use serde_json::{Map, Value, json};

use super::{body::RequestBody, operation::OperationEntry, schema::Schemas};

/// An id as the API emits it.
const ULID: &str = "01JDA7M0Q5W8E2R4T6Y9V1B3N5";
/// The part of a pattern that matches an id.
const ULID_PATTERN: &str = "[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}";
/// A text where the schema requires no format. Cut to its maximum length.
const TEXT: &str = "example";
/// Number of optional fields in an example of a request that requires none.
const OPTIONAL_FIELDS: usize = 1;

/// Returns a request with what the endpoint requires, as a block of shell code.
pub(super) fn request<'a>(operation: &OperationEntry<'a>, schemas: &Schemas<'a>) -> String {
    let url = url(operation, schemas);
    let method = match operation.method {
        "GET" => String::new(),
        method => format!("-X {method} "),
    };
    let mut lines = vec![format!("curl {method}\"$API{url}\"")];
    if needs_key(operation) {
        lines.push("-H \"Authorization: Bearer $KEY\"".to_owned());
    }
    if operation.description["security"] == json!([]) {
        lines.push("-H 'Referer: https://www.example.com/'".to_owned());
    }
    if let Some(body) = operation.body() {
        lines.extend(body_arguments(&body, schemas));
    }
    format!("```sh\n{}\n```\n", lines.join(" \\\n  "))
}

fn needs_key(operation: &OperationEntry<'_>) -> bool {
    let first = &operation.description["security"][0];
    first.get("bearer").is_some()
}

/// Returns the path below the prefix, with values for parameters that are required.
fn url<'a>(operation: &OperationEntry<'a>, schemas: &Schemas<'a>) -> String {
    let mut path = operation.short_path().to_owned();
    let mut query: Vec<String> = Vec::new();
    if operation.description["security"][0]
        .get("signed_url")
        .is_some()
    {
        query.push("$SIGNED_QUERY".to_owned());
    }

    let parameters = operation.description["parameters"].as_array();
    for parameter in parameters.into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        let value = sample(name, &parameter["schema"], schemas);
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        if parameter["in"] == "path" {
            path = path.replace(&format!("{{{name}}}"), &value);
        } else if parameter["in"] == "query" && parameter["required"] == true {
            query.push(format!("{name}={value}"));
        }
    }

    if query.is_empty() {
        path
    } else {
        format!("{path}?{}", query.join("&"))
    }
}

fn body_arguments<'a>(body: &RequestBody<'a>, schemas: &Schemas<'a>) -> Vec<String> {
    let fields = object(body.schema, schemas);
    if body.media_type == "application/json" {
        let header = "-H 'Content-Type: application/json'".to_owned();
        return vec![header, format!("-d {}", quoted(&Value::Object(fields)))];
    }

    let argument = |(name, value): (&String, &Value)| {
        let value = value.as_str().unwrap_or_default();
        format!("-F {name}={value}")
    };
    fields.iter().map(argument).collect()
}

/// Quotes a body for the shell: in double quotes if it contains a variable, else in single quotes.
fn quoted(body: &Value) -> String {
    let text = body.to_string();
    if text.contains('$') {
        let escaped = text.replace('\\', r"\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    } else {
        format!("'{text}'")
    }
}

/// Returns the required fields of an object, or a few optional ones.
fn object<'a>(schema: &'a Value, schemas: &Schemas<'a>) -> Map<String, Value> {
    let properties: Vec<_> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .collect();
    let alternative = schema["anyOf"][0]["required"].as_array();
    let required = schema["required"].as_array();
    let names: Vec<&Value> = required.into_iter().chain(alternative).flatten().collect();

    let is_required = |name: &str| names.iter().any(|required| *required == name);
    let sampled =
        |(name, schema): (&String, &'a Value)| (name.clone(), sample(name, schema, schemas));
    if names.is_empty() {
        return properties
            .into_iter()
            .take(OPTIONAL_FIELDS)
            .map(sampled)
            .collect();
    }
    let required = properties.into_iter().filter(|(name, _)| is_required(name));
    required.map(sampled).collect()
}

/// Returns a value that the schema allows: its example, or one that follows from its bounds.
fn sample<'a>(name: &str, schema: &'a Value, schemas: &Schemas<'a>) -> Value {
    if let Some(value) = sample_by_name(name) {
        return value;
    }

    if let Some(examples) = schema["examples"].as_array() {
        return examples[0].clone();
    }

    let resolved = schemas.resolve(schema);
    let alternatives = ["anyOf", "oneOf"].into_iter();
    let first = alternatives
        .map(|keyword| &resolved[keyword][0])
        .find(|first| !first.is_null());
    if let (Some(first), true) = (first, resolved.get("properties").is_none()) {
        return sample(name, first, schemas);
    }
    if let Some(value) = resolved.get("const") {
        return value.clone();
    }

    let kind = match &resolved["type"] {
        Value::Array(kinds) => kinds.first(),
        kind => Some(kind),
    };
    match kind.and_then(Value::as_str) {
        Some("boolean") => json!(true),
        Some("integer" | "number") => resolved.get("minimum").cloned().unwrap_or(json!(1)),
        Some("array") => json!([sample("", &resolved["items"], schemas)]),
        Some("object") => Value::Object(object(resolved, schemas)),
        _ => sample_text(name, resolved),
    }
}

fn sample_text(name: &str, schema: &Value) -> Value {
    match schema["format"].as_str() {
        Some("binary") => return json!("@photo.jpg"),
        Some("date-time") => return json!("2030-01-01T00:00:00.000Z"),
        Some("uri") => return json!("https://example.com/photo.jpg"),
        Some("idn-hostname") => return json!("files.example.com"),
        _ => {}
    }
    if let Some(value) = schema["enum"].get(0) {
        return value.clone();
    }

    let pattern = schema["pattern"].as_str().unwrap_or_default();
    let is_id = name == "id" || name.ends_with("_id");
    if is_id || pattern.contains(ULID_PATTERN) {
        return json!(ULID);
    }

    let max = schema["maxLength"].as_u64();
    let max = max.and_then(|max| usize::try_from(max).ok());
    let text: String = TEXT.chars().take(max.unwrap_or(usize::MAX)).collect();
    json!(text)
}

/// Returns a value for a field whose schema says too little to choose one.
fn sample_by_name(name: &str) -> Option<Value> {
    let value = match name {
        "name" => json!("Holidays"),
        "original_name" | "filename" => json!("photo.jpg"),
        "content_type" => json!("image/jpeg"),
        "size" => json!(48_213),
        "space" | "spaceHandle" => json!("k3x9ab"),
        "configName" => json!("guestbook"),
        "ref" => json!("order-1234"),
        "confirm_token" => json!("$TOKEN"),
        "folder_id" | "parent_id" => json!("root"),
        "file_ids" => json!([ULID]),
        "keyId" => json!(7),
        _ => return None,
    };
    Some(value)
}
