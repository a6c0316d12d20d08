//! The fields of a request's body.

use serde_json::Value;

use super::{markdown::MarkdownTable, schema::Schemas};

/// Types in responses that describe the same objects as fields of requests.
const COUNTERPARTS: [(&str, &str); 4] = [
    ("access_control", "EffectiveAccess"),
    ("config", "UploadRules"),
    ("security", "Security"),
    ("unsigned_restrictions", "UnsignedRestrictions"),
];

/// The body of a request.
pub(super) struct RequestBody<'a> {
    /// Media type.
    pub(super) media_type: &'a str,
    /// Schema, an object.
    pub(super) schema: &'a Value,
}

/// A field of the body, or of an object in it.
struct Field<'a> {
    /// Names of the objects around it, each with a dot behind it.
    prefix: String,
    name: &'a str,
    schema: &'a Value,
    /// Schema of the same field in a response.
    counterpart: Option<&'a Value>,
    is_required: bool,
}

impl<'a> RequestBody<'a> {
    /// Returns the part of an endpoint's section that describes the body.
    pub(super) fn section(&self, schemas: &Schemas<'a>) -> String {
        let mut collector = FieldCollector {
            schemas,
            fields: Vec::new(),
        };
        collector.collect("", self.schema, None);

        let mut table = MarkdownTable::new(&["field", "type", "required", "description"]);
        for field in collector.fields {
            let required = if field.is_required { "yes" } else { "" };
            table.row(&[
                format!("`{}{}`", field.prefix, field.name),
                schemas.type_text(field.schema),
                required.to_owned(),
                schemas.description(field.schema, field.counterpart),
            ]);
        }

        let note = self.alternatives_note();
        format!("Body: `{}`\n\n{}{note}", self.media_type, table.finish())
    }

    /// Returns which fields are required in place of one another.
    fn alternatives_note(&self) -> String {
        let alternatives = self.schema["anyOf"].as_array().into_iter().flatten();
        let names: Vec<String> = alternatives
            .filter_map(|alternative| alternative["required"][0].as_str())
            .map(|name| format!("`{name}`"))
            .collect();
        if names.is_empty() {
            String::new()
        } else {
            format!("\nOne of {} is required.\n", names.join(" and "))
        }
    }
}

/// Collects the fields of an object, the required ones first, each followed by its own fields.
struct FieldCollector<'s, 'a> {
    schemas: &'s Schemas<'a>,
    fields: Vec<Field<'a>>,
}

impl<'a> FieldCollector<'_, 'a> {
    fn collect(&mut self, prefix: &str, schema: &'a Value, counterpart: Option<&'a Value>) {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let mut properties: Vec<(&'a String, &'a Value)> = properties.collect();
        properties.sort_by_key(|(name, _)| !is_required(schema, name));

        for (name, inner) in properties {
            let same = counterpart.and_then(|counterpart| counterpart["properties"].get(name));
            self.fields.push(Field {
                prefix: prefix.to_owned(),
                name,
                schema: inner,
                counterpart: same,
                is_required: is_required(schema, name),
            });

            let object = self.counterpart(name, same);
            let item = object.map(|array| self.schemas.resolve(&array["items"]));
            self.collect(&format!("{prefix}{name}."), inner, object);
            self.collect(&format!("{prefix}{name}.*."), &inner["items"], item);
        }
    }

    /// Returns the type that describes the same object as a field: `same` is the field in the
    /// counterpart of the object around it.
    fn counterpart(&self, name: &str, same: Option<&'a Value>) -> Option<&'a Value> {
        if let Some(same) = same {
            return Some(self.schemas.resolve(same));
        }
        let (_, type_name) = COUNTERPARTS.iter().find(|(field, _)| *field == name)?;
        self.schemas.named(type_name)
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema["required"].as_array();
    required.is_some_and(|names| names.iter().any(|required| required == name))
}
