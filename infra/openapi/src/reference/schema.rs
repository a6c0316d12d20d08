//! Types and bounds in words, and the sections of types, from the schemas of the document.

use serde_json::{Map, Value};

use super::markdown::{MarkdownTable, anchor, link, sentences};

/// Where a schema refers to another.
const PREFIX: &str = "#/components/schemas/";
/// Schemas without a section: the rules describe errors, and blank is written as `null`.
const WITHOUT_SECTION: [&str; 2] = ["Error", "Blank"];

/// The schemas of a document, by name.
pub(super) struct Schemas<'a> {
    by_name: Option<&'a Map<String, Value>>,
}

impl<'a> Schemas<'a> {
    /// Returns the schemas of `document`.
    pub(super) fn of(document: &'a Value) -> Schemas<'a> {
        Schemas {
            by_name: document["components"]["schemas"].as_object(),
        }
    }

    /// Returns a schema by its name.
    pub(super) fn named(&self, name: &str) -> Option<&'a Value> {
        self.by_name?.get(name)
    }

    /// Follows a reference.
    pub(super) fn resolve(&self, schema: &'a Value) -> &'a Value {
        let named = name_of(schema).and_then(|name| self.named(name));
        named.unwrap_or(schema)
    }

    /// Returns the type and the bounds of a value: `string (1–255 characters)`.
    pub(super) fn type_text(&self, schema: &'a Value) -> String {
        if let Some(name) = name_of(schema) {
            let named = self.resolve(schema);
            return match (name, has_section(named)) {
                ("Blank", _) => "null".to_owned(),
                (_, true) => link(name, &anchor(name)),
                (_, false) => self.type_text(named),
            };
        }
        if let Some(alternatives) = alternatives(schema) {
            return self.alternatives_text(alternatives);
        }
        if let Some(value) = schema.get("const") {
            return code(value);
        }
        if let Some(values) = schema["enum"].as_array() {
            return values.iter().map(code).collect::<Vec<_>>().join(", ");
        }

        match &schema["type"] {
            Value::Array(types) => {
                let names = types.iter().filter_map(Value::as_str);
                let texts = names.map(|name| self.single_type_text(name, schema));
                texts.collect::<Vec<_>>().join(" or ")
            }
            Value::String(name) => self.single_type_text(name, schema),
            _ => "any value".to_owned(),
        }
    }

    fn alternatives_text(&self, alternatives: &'a [Value]) -> String {
        let is_blank = |schema: &&Value| schema.get("const").is_some_and(|value| value == "");
        let mut texts: Vec<String> = Vec::new();
        for schema in alternatives.iter().filter(|schema| !is_blank(schema)) {
            let text = self.type_text(schema);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join(" or ")
    }

    fn single_type_text(&self, name: &str, schema: &'a Value) -> String {
        match name {
            "string" => string_text(schema),
            "integer" | "number" => with_bounds(name, &number_bounds(schema)),
            "array" => {
                let items = self.type_text(&schema["items"]);
                let maximum = schema["maxItems"].as_u64();
                let bounds = maximum.map(|max| format!("at most {max}"));
                let array = with_bounds("array", &bounds.unwrap_or_default());
                format!("{array} of {items}")
            }
            other => other.to_owned(),
        }
    }

    /// Returns the description of a field: its own, that of the same field in `counterpart`, or that
    /// of its type. Values of a fixed set and the default follow.
    pub(super) fn description(&self, schema: &'a Value, counterpart: Option<&'a Value>) -> String {
        let own = |schema: &'a Value| schema["description"].as_str();
        let description = own(schema)
            .or_else(|| counterpart.and_then(own))
            .or_else(|| own(self.scalar_type(schema)?));

        let values = self.values(schema);
        let values = if values.is_empty() {
            String::new()
        } else {
            format!("One of {}", values.join(", "))
        };
        let default = self.default(schema, counterpart);
        sentences(&[
            description.unwrap_or_default().to_owned(),
            values,
            default.unwrap_or_default(),
        ])
    }

    /// Returns the schema of a named type without a section, which a value has or may have.
    fn scalar_type(&self, schema: &'a Value) -> Option<&'a Value> {
        let alternatives = alternatives(schema).into_iter().flatten();
        let candidates = std::iter::once(schema).chain(alternatives);
        let mut scalars = candidates.filter(|candidate| name_of(candidate) != Some("Blank"));
        scalars
            .find(|candidate| name_of(candidate).is_some())
            .map(|candidate| self.resolve(candidate))
            .filter(|named| !has_section(named))
    }

    /// Returns the values of a field that has a described set of them.
    fn values(&self, schema: &'a Value) -> Vec<String> {
        let alternatives_of = alternatives(schema).into_iter().flatten();
        let items = schema.get("items").into_iter();
        let candidates = std::iter::once(schema).chain(alternatives_of).chain(items);
        let variants = candidates
            .filter(|candidate| name_of(candidate).is_some())
            .filter_map(|candidate| self.resolve(candidate)["oneOf"].as_array());
        variants
            .flatten()
            .filter_map(|variant| variant.get("const").map(code))
            .collect()
    }

    fn default(&self, schema: &'a Value, counterpart: Option<&'a Value>) -> Option<String> {
        let first = alternatives(schema).and_then(|alternatives| alternatives.first());
        let own = [Some(schema), counterpart, first];
        let mut values = own
            .into_iter()
            .flatten()
            .filter_map(|schema| self.resolve_default(schema));
        let value = values.find(|value| !value.is_object() && !value.is_null())?;
        Some(format!("Default: {}", code(value)))
    }

    fn resolve_default(&self, schema: &'a Value) -> Option<&'a Value> {
        schema
            .get("default")
            .or_else(|| self.resolve(schema).get("default"))
    }

    /// Returns a section for each object and each fixed set of values.
    pub(super) fn sections(&self) -> String {
        let named = self.by_name.into_iter().flatten();
        let shown = named.filter(|(name, schema)| {
            has_section(schema) && !WITHOUT_SECTION.contains(&name.as_str())
        });
        shown
            .map(|(name, schema)| self.section(name, schema))
            .collect()
    }

    fn section(&self, name: &str, schema: &'a Value) -> String {
        let description = schema["description"].as_str().unwrap_or_default();
        let description = description.replace('\n', " ");
        let table = if schema.get("properties").is_some() {
            self.property_table(schema)
        } else {
            self.value_table(schema)
        };
        format!("\n### {name}\n\n{description}\n\n{table}")
    }

    fn property_table(&self, schema: &'a Value) -> String {
        let mut table = MarkdownTable::new(&["field", "type", "description"]);
        for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
            table.row(&[
                format!("`{field}`"),
                self.type_text(inner),
                self.description(inner, None),
            ]);
        }
        table.finish()
    }

    fn value_table(&self, schema: &'a Value) -> String {
        let mut table = MarkdownTable::new(&["value", "meaning"]);
        for variant in alternatives(schema).into_iter().flatten() {
            let meaning = variant["description"].as_str().unwrap_or_default();
            table.row(&[self.variant_text(variant), meaning.to_owned()]);
        }
        table.finish()
    }

    /// Returns a value of a fixed set, or the fields of one of several objects.
    fn variant_text(&self, variant: &'a Value) -> String {
        let Some(properties) = variant["properties"].as_object() else {
            return self.type_text(variant);
        };
        let field =
            |(name, schema): (&String, &'a Value)| format!("`{name}`: {}", self.type_text(schema));
        properties.iter().map(field).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the name of the schema that `schema` refers to.
pub(super) fn name_of(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(PREFIX)
}

/// Returns whether a schema has its own section: an object, or a described set of values.
fn has_section(schema: &Value) -> bool {
    schema.get("properties").is_some() || schema.get("oneOf").is_some()
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    // An object may have alternatives too, which say which of its fields are required.
    if schema.get("properties").is_some() {
        return None;
    }
    let keyword = ["anyOf", "oneOf"]
        .into_iter()
        .find_map(|name| schema.get(name));
    keyword?.as_array()
}

fn string_text(schema: &Value) -> String {
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    let name = match schema["format"].as_str() {
        Some("binary") => "file",
        Some("date-time") => "time",
        Some("uri") => "URL",
        _ if pattern.starts_with("^[0-7][0-9A-HJKMNP-TV-Z") => "ULID",
        _ => "string",
    };

    let minimum = schema["minLength"].as_u64();
    let maximum = schema["maxLength"].as_u64();
    let bounds = match (minimum, maximum) {
        (Some(min), Some(max)) if min == max => format!("{min} characters"),
        (Some(min), Some(max)) => format!("{min}–{max} characters"),
        (None, Some(max)) => format!("at most {max} characters"),
        _ => String::new(),
    };
    with_bounds(name, &bounds)
}

fn number_bounds(schema: &Value) -> String {
    let minimum = schema.get("minimum");
    let maximum = schema.get("maximum");
    let exclusive = schema.get("exclusiveMinimum");
    match (minimum, exclusive, maximum) {
        (Some(min), _, Some(max)) => format!("{min}–{max}"),
        (Some(min), _, None) => format!("≥ {min}"),
        (None, Some(min), Some(max)) => format!("> {min}, ≤ {max}"),
        (None, Some(min), None) => format!("> {min}"),
        (None, None, Some(max)) => format!("≤ {max}"),
        (None, None, None) => String::new(),
    }
}

fn with_bounds(name: &str, bounds: &str) -> String {
    if bounds.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({bounds})")
    }
}

/// Returns a value as inline code; strings without quotes.
fn code(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}
