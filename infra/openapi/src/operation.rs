//! An endpoint and its description.

use http_api::describe::Endpoint;
use serde_json::{Map, Value};

/// Location of schemas in an OpenAPI document, as a JSON pointer.
pub(crate) const SCHEMAS: &str = "/components/schemas";

/// Fields of requests with an object, and the types of the same objects in responses.
pub(crate) const COUNTERPARTS: [(&str, &str); 4] = [
    ("access_control", "AccessControl"),
    ("config", "UploadRules"),
    ("security", "Security"),
    ("unsigned_restrictions", "UnsignedRestrictions"),
];

/// An endpoint of the API, as its handler declares it.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Binary of the function that serves the endpoint.
    pub function: &'static str,
    /// Declaration of the endpoint.
    pub endpoint: Endpoint,
    pub description: Value,
}

/// Resolves a reference to a schema.
pub(crate) fn resolved<'a>(schema: &'a Value, schemas: &'a Map<String, Value>) -> &'a Value {
    let name = schema["$ref"]
        .as_str()
        .and_then(|reference| reference.strip_prefix("#")?.strip_prefix(SCHEMAS));
    name.and_then(|name| schemas.get(name.trim_start_matches('/')))
        .unwrap_or(schema)
}
