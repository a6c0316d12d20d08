//! Notes the schema of a request.

use std::collections::BTreeSet;

use domain::{
    env::Timestamp,
    errors::{FieldError, FieldErrors},
    naming::UrlPolicy,
};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::schema_field::{BLANK, SchemaField, ValueForms};
use crate::fields::{Absence, FieldSource};

/// Notes the fields of one object as a JSON Schema (draft 2020-12, which OpenAPI 3.1 uses).
pub struct SchemaReader<'a> {
    schemas: &'a mut SchemaGenerator,
    forms: ValueForms,
    /// Whether the fields are JSON, not texts of a query or form.
    is_json: bool,
    fields: Vec<SchemaField>,
    required: BTreeSet<String>,
    /// Fields, at least one of them required.
    alternatives: Vec<String>,
    /// Whether unknown fields are rejected.
    denies_unknown: bool,
}

impl<'a> SchemaReader<'a> {
    /// Returns a reader for a JSON object.
    pub fn of_json(schemas: &'a mut SchemaGenerator, forms: ValueForms) -> SchemaReader<'a> {
        SchemaReader {
            schemas,
            forms,
            is_json: true,
            fields: Vec::new(),
            required: BTreeSet::new(),
            alternatives: Vec::new(),
            denies_unknown: false,
        }
    }

    /// Returns a reader for a query or form.
    pub fn of_texts(schemas: &'a mut SchemaGenerator, forms: ValueForms) -> SchemaReader<'a> {
        SchemaReader {
            is_json: false,
            ..SchemaReader::of_json(schemas, forms)
        }
    }

    /// Returns the schema of the object.
    pub fn into_schema(self) -> Value {
        let mut properties = Map::new();
        for mut field in self.fields {
            let is_required = self.required.contains(&field.name);
            if is_required && field.schema["type"] == "array" {
                field.schema["minItems"] = json!(1);
            }
            let name = field.name.clone();
            let schema = field.into_schema(is_required, self.is_json, self.forms);
            properties.insert(name, schema);
        }

        let mut schema = json!({"type": "object", "properties": properties});
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        let is_accepted = self.forms == ValueForms::Accepted;
        // Generators have no type for one of several required fields; descriptions name them.
        if is_accepted && !self.alternatives.is_empty() {
            let is_json = self.is_json;
            let required = |name: &String| {
                let mut required = json!({"required": [name]});
                if is_json {
                    required["properties"] = json!({name: {"not": {"$ref": BLANK}}});
                }
                required
            };
            schema["anyOf"] = self.alternatives.iter().map(required).collect();
        }
        if is_accepted && !self.is_json {
            // RFC 7578: every part of a form has a name.
            schema["propertyNames"] = json!({"minLength": 1});
        }
        if self.denies_unknown {
            schema["additionalProperties"] = json!(false);
        }
        schema
    }

    /// Returns the fields as parameters of a query.
    pub fn into_parameters(self) -> Vec<Value> {
        let parameter = |field: SchemaField| {
            let is_required = self.required.contains(&field.name);
            let name = field.name.clone();
            let schema = field.into_schema(is_required, self.is_json, self.forms);
            json!({"name": name, "in": "query", "required": is_required, "schema": schema})
        };
        self.fields.into_iter().map(parameter).collect()
    }

    /// Adds a file of a form.
    pub fn file(&mut self, name: &str) {
        self.add(name, file_schema(), Absence::Missing);
    }

    /// Adds a list of at most `max` files of a form.
    pub fn files(&mut self, name: &str, max: usize) {
        let schema =
            json!({"type": "array", "items": file_schema(), "minItems": 1, "maxItems": max});
        self.add(name, schema, Absence::Missing);
    }

    /// Returns a field that was read before.
    fn field(&mut self, name: &str) -> Option<&mut SchemaField> {
        self.fields.iter_mut().find(|field| field.name == name)
    }

    fn add(&mut self, name: &str, schema: Value, absence: Absence) {
        self.fields.push(SchemaField {
            name: name.to_owned(),
            schema,
            absence,
            description: None,
        });
    }

    fn object_of<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Value {
        let fields = std::mem::take(&mut self.fields);
        let required = std::mem::take(&mut self.required);
        let alternatives = std::mem::take(&mut self.alternatives);
        let denies_unknown = std::mem::take(&mut self.denies_unknown);
        read(self);

        let nested = SchemaReader {
            fields: std::mem::replace(&mut self.fields, fields),
            required: std::mem::replace(&mut self.required, required),
            alternatives: std::mem::replace(&mut self.alternatives, alternatives),
            denies_unknown: std::mem::replace(&mut self.denies_unknown, denies_unknown),
            schemas: self.schemas,
            forms: self.forms,
            is_json: self.is_json,
        };
        nested.into_schema()
    }
}

/// Schema of a file's bytes.
fn file_schema() -> Value {
    json!({"type": "string", "format": "binary"})
}

impl FieldSource for SchemaReader<'_> {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(0)
    }

    fn url_policy(&self) -> UrlPolicy {
        UrlPolicy::PublicOnly
    }

    fn are_texts(&self) -> bool {
        !self.is_json
    }

    fn value(&mut self, _: &str) -> Option<&Value> {
        None
    }

    fn string(&mut self, _: &str) -> Result<Option<&str>, FieldError> {
        Ok(None)
    }

    fn objects<T>(
        &mut self,
        name: &str,
        max: usize,
        read: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.object_of(read);
        self.add(
            name,
            json!({"type": "array", "items": items, "maxItems": max}),
            Absence::Null,
        );
        None
    }

    fn object<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let schema = self.object_of(read);
        self.add(name, schema, Absence::Null);
        None
    }

    fn deny_unknown(&mut self, _: &[&str]) {
        self.denies_unknown = true;
    }

    fn is_present(&self, _: &str) -> bool {
        true
    }

    fn has_value(&self, _: &str) -> bool {
        false
    }

    /// Notes a field as required if its absence is an error.
    fn reject(&mut self, name: &str, field_error: &FieldError) {
        match field_error {
            FieldError::Required => {
                self.required.insert(name.to_owned());
            }
            FieldError::RequiredWithout(alternative) => {
                self.alternatives = vec![name.to_owned(), (*alternative).to_owned()];
            }
            _ => {}
        }
    }

    fn merge(&mut self, _: FieldErrors) {}

    fn note(
        &mut self,
        name: &str,
        absence: Absence,
        schema: impl FnOnce(&mut SchemaGenerator) -> Value,
    ) {
        let schema = schema(self.schemas);
        self.add(name, schema, absence);
    }

    fn note_csv(&mut self, name: &str) {
        let is_accepted = self.forms == ValueForms::Accepted;
        if let Some(field) = self.field(name).filter(|_| is_accepted) {
            let csv = json!({"type": "string", "description": "Items, separated by commas."});
            field.schema = json!({"anyOf": [field.schema, csv]});
        }
    }

    fn describe(&mut self, name: &str, description: &'static str) {
        if let Some(field) = self.field(name) {
            field.description = Some(description);
        }
    }

    fn example(&mut self, name: &str, example: impl FnOnce() -> Value) {
        if let Some(field) = self.field(name) {
            field.schema["examples"] = json!([example()]);
        }
    }
}
