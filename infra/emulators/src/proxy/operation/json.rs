//! Reading of JSON request bodies.

use serde_json::Value;

/// Returns a string member of a JSON object.
pub(super) fn string<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}
