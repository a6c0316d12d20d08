//! The OpenAPI 3.1 document: <https://spec.openapis.org/oas/v3.1.1.html>.

use http_api::describe::{API_PREFIX, ValueForms};
use serde_json::{Map, Value, json};

use crate::{
    api::{Api, api},
    components::{capitalized, move_bodies},
    descriptions::join_lines,
};

/// Media type of JSON bodies.
const JSON: &str = "application/json";

/// Errors that any endpoint may respond with: status code and description.
const ERRORS: [(u16, &str); 12] = [
    (400, "The body cannot be parsed, or the path is not UTF-8."),
    (401, "The API key is missing or not valid."),
    (
        403,
        "The role of the caller is too low, the space is disabled, or the signature, token or referrer is not valid.",
    ),
    (
        404,
        "The resource does not exist, or the caller may not see it.",
    ),
    (
        408,
        "No byte of the body arrived for 30 seconds, or the body took longer than 15 minutes. On AWS the limits of API Gateway apply as well.",
    ),
    (409, "A request with this Idempotency-Key is in progress."),
    (413, "The body is too large."),
    (
        415,
        "The content type is not accepted, or the body is encoded.",
    ),
    (422, "Fields are not valid; `errors` names all of them."),
    (429, "The rate limit is exceeded."),
    (500, "Internal error. Report the `X-Request-Id`."),
    (
        503,
        "The service is overloaded, or another request is changing the same resource.",
    ),
];
/// Errors with a `Retry-After` header.
const RETRYABLE: [u16; 3] = [409, 429, 503];
/// Tags of the endpoints, with their descriptions.
const TAGS: [(&str, &str); 9] = [
    ("account", "The caller, and the default space of a user"),
    ("spaces", "Spaces: isolated containers of files"),
    ("api-keys", "API keys of accounts and of spaces"),
    (
        "access",
        "Access control, security settings and signing secrets",
    ),
    ("folders", "Folders"),
    ("files", "Files and their delivery URLs"),
    (
        "uploads",
        "Uploads by form, by presigned URL, by signed URL and without a key",
    ),
    (
        "upload-configs",
        "Upload configs: how files are validated, transformed, stored and delivered",
    ),
    (
        "webhooks",
        "Webhooks: their secret, and the log of their delivery",
    ),
];
/// Segments of paths, and the tags of their endpoints. The first segment is the tag of others.
const TAGS_BY_SEGMENT: [(&str, &str); 7] = [
    ("api-keys", "api-keys"),
    ("access-control", "access"),
    ("security", "access"),
    ("signing-secret", "access"),
    ("webhook-secret", "webhooks"),
    ("webhook-deliveries", "webhooks"),
    ("upload", "uploads"),
];
/// Events of webhooks, and when they are sent.
const WEBHOOKS: [(&str, &str); 4] = [
    (
        "file.uploaded",
        "A file was uploaded, or a presigned upload was confirmed. Always sent.",
    ),
    (
        "file.processed",
        "The processing of an uploaded file ended: its metadata is recorded, and its eager renditions are stored.",
    ),
    (
        "file.failed",
        "The processing of an uploaded file failed. The file itself is delivered.",
    ),
    ("file.deleted", "A file was deleted."),
];
/// Header that every response has.
const REQUEST_ID: &str = "X-Request-Id";
/// Headers of successful responses to a valid API key, and of a 429.
const RATE_LIMIT_HEADERS: [&str; 5] = [
    "RateLimit",
    "RateLimit-Policy",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
];
/// Header of a response to a repeated request.
const REPLAYED: &str = "Idempotent-Replayed";
/// Header with the seconds until a request may be sent again.
const RETRY_AFTER: &str = "Retry-After";

/// Returns the OpenAPI document of the API, with these forms of values in requests.
pub fn document(forms: ValueForms) -> Value {
    let Api {
        operations,
        mut schemas,
    } = api(forms);
    let mut paths: Map<String, Value> = Map::new();
    for mut operation in operations {
        move_bodies(&mut operation, &mut schemas);
        let endpoint = operation.endpoint;
        let mut description = operation.description;
        description["tags"] = json!([tag(endpoint.path)]);
        add_headers(&mut description);

        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method.to_lowercase()] = description;
    }

    schemas.insert("ErrorBody".to_owned(), error_schema());
    if forms == ValueForms::Accepted {
        schemas.insert("Blank".to_owned(), blank_schema());
    }
    let mut document = json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Larder",
            "summary": "Asset storage and delivery",
            "description": "Strings are trimmed, and an empty string is null. Unknown fields are ignored, except inside \
                            `config` and `security` and in the query of a list. Every response has an `X-Request-Id`.",
            "version": "1",
            "contact": {"name": "Larder contributors"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": API_PREFIX, "description": "Relative to the address that serves this document"}],
        "tags": TAGS.map(|(name, description)| json!({"name": name, "description": description})),
        "paths": paths,
        "webhooks": webhooks(),
        "components": {
            "schemas": schemas,
            "headers": headers(),
            "responses": error_responses(),
            "securitySchemes": security_schemes(),
        },
    });
    join_lines(&mut document);
    document
}

/// Returns the tag of an endpoint.
fn tag(path: &str) -> &str {
    let by_segment = |segment: &str| {
        let mut tags = TAGS_BY_SEGMENT.iter();
        tags.find_map(|(name, tag)| (*name == segment).then_some(*tag))
    };
    let mut segments = path.split('/').skip(1);
    segments
        .clone()
        .find_map(by_segment)
        .or_else(|| segments.next())
        .expect("a path has a segment")
}

/// Adds the headers of successful responses.
fn add_headers(operation: &mut Value) {
    let has_key = operation["security"][0].get("bearer").is_some();
    let is_idempotent = operation["parameters"]
        .as_array()
        .is_some_and(|parameters| {
            parameters
                .iter()
                .any(|parameter| parameter["name"] == "Idempotency-Key")
        });
    let names = [REQUEST_ID]
        .into_iter()
        .chain(RATE_LIMIT_HEADERS.into_iter().filter(|_| has_key))
        .chain(is_idempotent.then_some(REPLAYED));
    let headers = header_references(names);

    let responses = operation["responses"].as_object_mut();
    for (status, response) in responses.into_iter().flatten() {
        if status.starts_with('2') {
            response["headers"] = headers.clone();
        } else if response.get("$ref").is_none() {
            response["headers"] = header_references([REQUEST_ID]);
        }
    }
}

fn header_references<'a>(names: impl IntoIterator<Item = &'a str>) -> Value {
    let reference = |name: &str| {
        let reference = json!({"$ref": format!("#/components/headers/{name}")});
        (name.to_owned(), reference)
    };
    names
        .into_iter()
        .map(reference)
        .collect::<Map<_, _>>()
        .into()
}

fn headers() -> Value {
    let header =
        |description: &str, schema: &Value| json!({"description": description, "schema": schema});
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});

    json!({
        REQUEST_ID: header("Id of the request, for questions about it.", &text),
        RETRY_AFTER: header("Seconds until the request may be sent again.", &number),
        REPLAYED: header("`true` if the response is that of an earlier request with this `Idempotency-Key`.", &text),
        "WWW-Authenticate": header("API Gateway renames it to `x-amzn-Remapped-WWW-Authenticate`.", &json!({"const": "Bearer"})),
        "RateLimit": header("Remaining requests and seconds, as the draft `ratelimit-headers` of the IETF defines.", &text),
        "RateLimit-Policy": header("Limit and window, as the draft `ratelimit-headers` of the IETF defines.", &text),
        "X-RateLimit-Limit": header("Requests per minute.", &number),
        "X-RateLimit-Remaining": header("Requests that remain in this minute.", &number),
        "X-RateLimit-Reset": header("End of this minute, in seconds since 1970.", &number),
    })
}

/// Describes the webhooks. All have one payload.
fn webhooks() -> Map<String, Value> {
    let webhook = |(event, description): (&str, &str)| {
        let operation = json!({
            "operationId": capitalized(&event.replace('.', "_")),
            "summary": format!("`{event}`"),
            "description": format!("{description} Signed with the webhook secret of the space, as Standard Webhooks define."),
            "tags": ["webhooks"],
            "security": [],
            "requestBody": {"required": true, "content": {JSON: {"schema": {"$ref": "#/components/schemas/WebhookPayload"}}}},
            "responses": {
                "2XX": {"description": "The webhook is delivered."},
                "410": {"description": "The webhook is not sent again."},
                "default": {"description": "The webhook is sent again later, up to six times."},
            },
        });
        (event.to_owned(), json!({"post": operation}))
    };

    WEBHOOKS.into_iter().map(webhook).collect()
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "Every error.",
        "properties": {
            "message": {"type": "string"},
            "errors": {
                "type": "object",
                "description": "Messages by field; fields inside objects are named with dots.",
                "additionalProperties": {"type": "array", "items": {"type": "string"}},
            },
        },
        "required": ["message", "errors"],
    })
}

fn blank_schema() -> Value {
    json!({
        "description": "Null, or an empty string, which is treated as null.",
        "anyOf": [{"type": "null"}, {"type": "string", "maxLength": 0}],
    })
}

fn error_responses() -> Map<String, Value> {
    let response = |(status, description): (u16, &str)| {
        let content = json!({JSON: {"schema": {"$ref": "#/components/schemas/ErrorBody"}}});
        let retry_after = RETRYABLE.contains(&status).then_some(RETRY_AFTER);
        let authenticate = (status == 401).then_some("WWW-Authenticate");
        let limits = RATE_LIMIT_HEADERS.into_iter().filter(|_| status == 429);
        let names = [REQUEST_ID]
            .into_iter()
            .chain(retry_after)
            .chain(authenticate)
            .chain(limits);

        let headers = header_references(names);
        let response = json!({"description": description, "headers": headers, "content": content});
        (format!("Error{status}"), response)
    };

    ERRORS.into_iter().map(response).collect()
}

fn security_schemes() -> Value {
    json!({
        "bearer": {"type": "http", "scheme": "bearer", "description": "An API key: `sk_…`."},
        "api_key": {"type": "apiKey", "in": "query", "name": "api_key", "description": "An API key: `sk_…`."},
    })
}
