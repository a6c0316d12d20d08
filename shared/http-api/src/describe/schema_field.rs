//! The values that a field of a request accepts, also as absent.

use serde_json::{Value, json};

use crate::fields::Absence;

/// Schema of values that are null where a string is expected.
pub(super) const BLANK: &str = "#/components/schemas/Blank";

/// The forms of one value that the description of a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueForms {
    /// The form that clients should send, as in the published document.
    Canonical,
    /// All forms that the API accepts: also an empty string for null, a list as text.
    Accepted,
}

/// A field of a request.
pub(super) struct SchemaField {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) absence: Absence,
    pub(super) description: Option<&'static str>,
}

impl SchemaField {
    /// Returns the schema of the field with its description.
    pub(super) fn into_schema(self, is_required: bool, is_json: bool, forms: ValueForms) -> Value {
        let mut schema = match forms {
            _ if is_required => self.schema,
            ValueForms::Accepted => optional(self.schema, self.absence, is_json),
            // Clients should send null for a blank string.
            ValueForms::Canonical if is_json => match self.absence {
                Absence::Missing => self.schema,
                Absence::Null | Absence::Blank => optional(self.schema, Absence::Null, true),
            },
            ValueForms::Canonical => self.schema,
        };
        if let Some(description) = self.description {
            schema["description"] = json!(description);
        }
        schema
    }
}

/// Adds the values of an absent field to a schema.
fn optional(mut schema: Value, absence: Absence, is_json: bool) -> Value {
    match (absence, schema.get("type")) {
        (Absence::Missing, _) => schema,
        (Absence::Null, Some(Value::String(kind))) => {
            schema["type"] = json!([kind, "null"]);
            schema
        }
        (Absence::Null, _) => json!({"anyOf": [schema, {"type": "null"}]}),
        (Absence::Blank, _) if is_json => json!({"anyOf": [schema, {"$ref": BLANK}]}),
        (Absence::Blank, _) => json!({"anyOf": [schema, {"const": ""}]}),
    }
}
