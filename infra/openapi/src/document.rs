//! The OpenAPI 3.1 document: <https://spec.openapis.org/oas/v3.1.1.html>.

use serde_json::{Map, Value, json};

use crate::api::api;

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
/// Tags of the functions, with their descriptions.
const TAGS: [(&str, &str); 5] = [
    ("spaces", "Spaces, their API keys, and accounts"),
    (
        "upload-configs",
        "Upload configs: how files are validated, transformed, stored and delivered",
    ),
    (
        "uploads",
        "Uploads by form, by presigned URL, by signed URL and without a key",
    ),
    ("files", "Files"),
    ("folders", "Folders"),
];

/// Returns the OpenAPI document of the API.
pub fn document() -> Value {
    let api = api();
    let mut paths: Map<String, Value> = Map::new();
    for operation in &api.operations {
        let path = paths
            .entry(operation.endpoint.full_path())
            .or_insert_with(|| json!({}));
        path[operation.endpoint.method.to_lowercase()] = operation.description.clone();
    }

    let mut schemas = api.schemas;
    schemas.insert("Error".to_owned(), error_schema());
    schemas.insert("Blank".to_owned(), blank_schema());
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Larder",
            "summary": "Asset storage and delivery",
            "description": "Strings are trimmed, and an empty string is null. Unknown fields are ignored, except inside \
                            `config` and `security` and in the query of a list. Every response has an `X-Request-Id`.",
            "version": "1",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "`ApiUrl` of the deployment; http://127.0.0.1:9000 of the local stack"}],
        "tags": TAGS.map(|(name, description)| json!({"name": name, "description": description})),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": error_responses(),
            "securitySchemes": security_schemes(),
        },
    })
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
        let content =
            json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
        let mut response = json!({"description": description, "content": content});
        if RETRYABLE.contains(&status) {
            let seconds = json!({"description": "Seconds until the request may be sent again.", "schema": {"type": "integer"}});
            response["headers"] = json!({"Retry-After": seconds});
        }
        if status == 401 {
            response["headers"] = json!({"WWW-Authenticate": {"schema": {"const": "Bearer"}}});
        }
        (format!("Error{status}"), response)
    };
    ERRORS.into_iter().map(response).collect()
}

fn security_schemes() -> Value {
    json!({
        "bearer": {"type": "http", "scheme": "bearer", "description": "An API key: `sk_…`."},
        "api_key": {"type": "apiKey", "in": "query", "name": "api_key", "description": "An API key: `sk_…`."},
        "signed_url": {
            "type": "apiKey",
            "in": "query",
            "name": "signature",
            "description": "The query of a URL that `generateSignedUploadUrl` returned.",
        },
    })
}
