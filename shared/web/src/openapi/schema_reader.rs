//! Records which fields a request has.

use std::collections::BTreeSet;

use domain::{Timestamp, Violation, Violations};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::{FieldReader, Patch};

/// Schema of what counts as null in a string's place.
const BLANK: &str = "#/components/schemas/Blank";

/// Records the fields of one object as a JSON Schema (draft 2020-12, as OpenAPI 3.1 has it).
pub struct SchemaReader<'a> {
    schemas: &'a mut SchemaGenerator,
    /// Whether fields are JSON; otherwise they are parameters of a query.
    is_json: bool,
    fields: Vec<Field>,
    required: BTreeSet<String>,
    is_closed: bool,
}

struct Field {
    name: String,
    schema: Value,
    /// Whether null stands for an absent field, unless the field is required.
    is_nullable: bool,
}

impl<'a> SchemaReader<'a> {
    /// Returns a reader of a JSON object.
    pub fn of_json(schemas: &'a mut SchemaGenerator) -> SchemaReader<'a> {
        SchemaReader { schemas, is_json: true, fields: Vec::new(), required: BTreeSet::new(), is_closed: false }
    }

    /// Returns a reader of a query.
    pub fn of_query(schemas: &'a mut SchemaGenerator) -> SchemaReader<'a> {
        SchemaReader { is_json: false, ..SchemaReader::of_json(schemas) }
    }

    /// Returns the schema of the object.
    pub fn into_schema(self) -> Value {
        let mut properties = Map::new();
        for Field { name, mut schema, is_nullable } in self.fields {
            let is_required = self.required.contains(&name);
            if is_required && schema["type"] == "array" {
                schema["minItems"] = json!(1);
            }
            if is_nullable && !is_required {
                schema = nullable(schema);
            }
            properties.insert(name, schema);
        }

        let mut schema = json!({"type": "object", "properties": properties});
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        if self.is_closed {
            schema["additionalProperties"] = json!(false);
        }
        schema
    }

    /// Returns the fields as parameters of a query.
    pub fn into_parameters(self) -> Vec<Value> {
        let parameter = |field: Field| {
            let is_required = self.required.contains(&field.name);
            json!({"name": field.name, "in": "query", "required": is_required, "schema": field.schema})
        };
        self.fields.into_iter().map(parameter).collect()
    }

    fn schema_of<T: JsonSchema>(&mut self) -> Value {
        json!(self.schemas.subschema_for::<T>())
    }

    fn add(&mut self, name: &str, schema: Value) {
        self.fields.push(Field { name: name.to_owned(), schema, is_nullable: false });
    }

    fn add_nullable(&mut self, name: &str, schema: Value) {
        self.fields.push(Field { name: name.to_owned(), schema, is_nullable: true });
    }

    /// Adds a string that may be absent, or what counts as null.
    fn add_text<T: JsonSchema>(&mut self, name: &str) {
        let schema = self.schema_of::<T>();
        let blank = if self.is_json { json!({"$ref": BLANK}) } else { json!({"const": ""}) };
        let schema = json!({"anyOf": [schema, blank]});
        self.add(name, schema);
    }

    fn array_of<T: JsonSchema>(&mut self, max: usize) -> Value {
        json!({"type": "array", "items": self.schema_of::<T>(), "maxItems": max})
    }

    fn object_of<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Value {
        let fields = std::mem::take(&mut self.fields);
        let required = std::mem::take(&mut self.required);
        let is_closed = std::mem::take(&mut self.is_closed);
        read(self);

        let inner = SchemaReader {
            fields: std::mem::replace(&mut self.fields, fields),
            required: std::mem::replace(&mut self.required, required),
            is_closed: std::mem::replace(&mut self.is_closed, is_closed),
            schemas: self.schemas,
            is_json: self.is_json,
        };
        inner.into_schema()
    }
}

/// Adds null to what a schema admits.
fn nullable(mut schema: Value) -> Value {
    match schema.get("type") {
        Some(Value::String(kind)) => {
            schema["type"] = json!([kind, "null"]);
            schema
        }
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

impl FieldReader for SchemaReader<'_> {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(0)
    }

    fn required<T: JsonSchema>(&mut self, name: &str, _: impl FnOnce(&str) -> Result<T, Violation>) -> Option<T> {
        let schema = self.schema_of::<T>();
        self.add(name, schema);
        self.required.insert(name.to_owned());
        None
    }

    fn optional<T: JsonSchema>(&mut self, name: &str, _: impl FnOnce(&str) -> Result<T, Violation>) -> Option<T> {
        self.add_text::<T>(name);
        None
    }

    fn present<T: JsonSchema>(&mut self, name: &str, _: impl FnOnce(&str) -> Result<T, Violation>) -> Option<T> {
        let schema = self.schema_of::<T>();
        self.add(name, schema);
        None
    }

    fn change<T: JsonSchema>(&mut self, name: &str, _: impl FnOnce(&str) -> Result<T, Violation>) -> Patch<T> {
        self.add_text::<T>(name);
        Patch::Keep
    }

    fn boolean(&mut self, name: &str) -> Option<bool> {
        self.add(name, json!({"type": "boolean"}));
        None
    }

    fn number<T: JsonSchema>(&mut self, name: &str, _: impl FnOnce(f64) -> Result<T, Violation>) -> Option<T> {
        let schema = self.schema_of::<T>();
        self.add_nullable(name, schema);
        None
    }

    fn integer(&mut self, name: &str, min: i64, max: i64) -> Option<i64> {
        self.add_nullable(name, json!({"type": "integer", "minimum": min, "maximum": max}));
        None
    }

    fn name_or_integer<T: JsonSchema>(
        &mut self,
        name: &str,
        _: impl FnOnce(&str) -> Result<T, Violation>,
        _: impl FnOnce(i64) -> Result<T, Violation>,
    ) -> Option<T> {
        self.add_text::<T>(name);
        None
    }

    fn list<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        _: impl Fn(&str) -> Result<T, Violation>,
    ) -> Option<Vec<T>> {
        let schema = self.array_of::<T>(max);
        self.add_nullable(name, schema);
        None
    }

    fn list_or_csv<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        _: impl Fn(&str) -> Result<T, Violation>,
    ) -> Option<Vec<T>> {
        let schema = self.array_of::<T>(max);
        let csv = json!({"type": "string", "description": "Items, separated by commas."});
        self.add_nullable(name, json!({"anyOf": [schema, csv]}));
        None
    }

    fn objects<T>(&mut self, name: &str, max: usize, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let items = self.object_of(read);
        self.add_nullable(name, json!({"type": "array", "items": items, "maxItems": max}));
        None
    }

    fn object<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let schema = self.object_of(read);
        self.add_nullable(name, schema);
        None
    }

    fn change_object<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Patch<T> {
        self.object(name, read);
        Patch::Keep
    }

    fn required_list<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, Violation>,
    ) -> Option<Vec<T>> {
        self.list(name, max, parse);
        self.required.insert(name.to_owned());
        None
    }

    fn text_or_number(&mut self, name: &str) -> Option<String> {
        self.add(name, json!({"type": ["string", "number", "null"]}));
        None
    }

    fn note(&mut self, _: Violations) {}

    fn only(&mut self, _: &[&str]) {
        self.is_closed = true;
    }

    fn is_given(&self, _: &str) -> bool {
        true
    }

    fn has(&self, _: &str) -> bool {
        false
    }

    /// A field without which a request is refused is required.
    fn violate(&mut self, name: &str, violation: &Violation) {
        if *violation == Violation::Required {
            self.required.insert(name.to_owned());
        }
    }
}
