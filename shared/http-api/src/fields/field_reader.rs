//! How request types read, parse and describe their fields.
//!
//! Invariant: a `read` function reads every field before it uses a result, since the source that
//! notes the schema has no values.

use domain::{
    errors::{FieldError, parse_integer},
    naming::PublicHttpsUrl,
};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Number, Value, json};

use crate::fields::{Absence, FieldSource};

/// A request type that is read from fields.
pub trait FromFields: Sized + Send {
    /// Reads the request. Returns `None` only if a field error was recorded.
    fn read(fields: &mut impl FieldReader) -> Option<Self>;
}

/// Change of an optional field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patch<T> {
    /// Absent: the field is not changed.
    Keep,
    /// Null: the field is cleared.
    Clear,
    /// The field is set.
    Set(T),
}

impl<T: Clone> Patch<T> {
    /// Applies the change to a field.
    pub fn apply(&self, field: &mut Option<T>) {
        match self {
            Patch::Keep => {}
            Patch::Clear => *field = None,
            Patch::Set(value) => *field = Some(value.clone()),
        }
    }

    /// Applies the change to a field that is empty by default.
    pub fn apply_or_default(&self, field: &mut T)
    where
        T: Default,
    {
        match self {
            Patch::Keep => {}
            Patch::Clear => *field = T::default(),
            Patch::Set(value) => field.clone_from(value),
        }
    }
}

/// Reads the fields of one object. Strings are trimmed, and an empty string is null. A method that
/// records a field error returns `None`.
pub trait FieldReader: FieldSource {
    /// Reads a URL of a host that the policy allows, which may be absent or null.
    fn optional_url(&mut self, name: &str) -> Option<PublicHttpsUrl> {
        let url_policy = self.url_policy();
        self.optional(name, |text| PublicHttpsUrl::parse_with(text, url_policy))
    }

    /// Reads a string that must be present.
    fn required<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Option<T> {
        self.note(name, Absence::Missing, schema_of::<T>);
        let read = self
            .string(name)
            .and_then(|text| parse(text.ok_or(FieldError::Required)?));
        self.record(name, read)
    }

    /// Reads a string that may be absent or null.
    fn optional<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Option<T> {
        self.note(name, Absence::Blank, schema_of::<T>);
        let read = self
            .string(name)
            .and_then(|text| text.map(parse).transpose());
        self.record(name, read).flatten()
    }

    /// Reads a string that may be absent, but not null.
    fn non_null<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Option<T> {
        if self.value(name).is_some() {
            return self.required(name, parse);
        }
        self.note(name, Absence::Missing, schema_of::<T>);
        None
    }

    /// Reads a string that may be absent, or null to clear the field.
    fn patch<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Patch<T> {
        self.note(name, Absence::Blank, schema_of::<T>);
        if self.value(name).is_none() {
            return Patch::Keep;
        }
        let read = self
            .string(name)
            .and_then(|text| text.map(parse).transpose());
        match self.record(name, read) {
            Some(Some(value)) => Patch::Set(value),
            Some(None) => Patch::Clear,
            None => Patch::Keep,
        }
    }

    /// Reads true or false, which may be absent.
    fn boolean(&mut self, name: &str) -> Option<bool> {
        self.note(name, Absence::Missing, |_| json!({"type": "boolean"}));
        let read = match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(_) => Err(FieldError::NotABoolean),
        };
        self.record(name, read).flatten()
    }

    /// Reads a number that may be absent or null.
    fn number<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(f64) -> Result<T, FieldError>,
    ) -> Option<T> {
        self.note(name, Absence::Null, schema_of::<T>);
        let read = match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_f64()
                .ok_or(FieldError::NotANumber)
                .and_then(|number| parse(number).map(Some)),
        };
        self.record(name, read).flatten()
    }

    /// Reads an integer from `min` to `max` that may be absent or null.
    fn integer(&mut self, name: &str, min: i64, max: i64) -> Option<i64> {
        self.note(name, Absence::Null, |_| integer_schema(min, max));
        let bounded = |number: i64| match number {
            number if number < min => Err(FieldError::TooSmall(min)),
            number if number > max => Err(FieldError::TooLarge(max)),
            number => Ok(number),
        };
        let are_texts = self.are_texts();
        let parse = |text: &str| {
            if are_texts {
                bounded(parse_integer(text)?)
            } else {
                Err(FieldError::NotAnInteger)
            }
        };
        text_or_integer(self, name, parse, bounded)
    }

    /// Reads the size of a file: 1 to `max` bytes. It may be absent or null.
    fn file_size(&mut self, name: &str, max: i64) -> Option<i64> {
        self.note(name, Absence::Null, |_| integer_schema(1, max));
        let bounded = |size: i64| match size {
            size if size < 1 => Err(FieldError::TooSmall(1)),
            size if size > max => Err(FieldError::TooManyBytes(max.unsigned_abs())),
            size => Ok(size),
        };
        text_or_integer(self, name, |_| Err(FieldError::NotAnInteger), bounded)
    }

    /// Reads a string or an integer that may be absent or null.
    fn name_or_integer<T: JsonSchema>(
        &mut self,
        name: &str,
        named: impl FnOnce(&str) -> Result<T, FieldError>,
        numbered: impl FnOnce(i64) -> Result<T, FieldError>,
    ) -> Option<T> {
        self.note(name, Absence::Blank, schema_of::<T>);
        text_or_integer(self, name, named, numbered)
    }

    /// Reads a string or a number as text; it may be absent or null. `T` is its schema, which is
    /// not checked.
    fn text_or_number<T: JsonSchema>(&mut self, name: &str) -> Option<String> {
        self.note(name, Absence::Null, schema_of::<T>);
        match self.value(name)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(
                integral(number).map_or_else(|| number.to_string(), |integer| integer.to_string()),
            ),
            _ => self.record(name, Err(FieldError::NotAString)),
        }
    }

    /// Reads a list of at most `max` strings that may be absent or null. An error of an item has
    /// the item's position in its name, for example `tags.0`.
    fn list<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        self.note(name, Absence::Null, |schemas| array_of::<T>(schemas, max));
        let items = match self.value(name) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(items)) => items.clone(),
            Some(_) => return self.record(name, Err(FieldError::NotAnArray)),
        };
        strings(self, name, &items, max, parse)
    }

    /// Reads a list of 1 to `max` strings that must be present.
    fn required_list<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        if !self.has_value(name) {
            self.reject(name, &FieldError::Required);
            self.note(name, Absence::Null, |schemas| array_of::<T>(schemas, max));
            return None;
        }

        let items = self.list(name, max, parse)?;
        if items.is_empty() {
            return self.record(name, Err(FieldError::Required));
        }
        Some(items)
    }

    /// Reads a list like [`list`](FieldReader::list), or a string of comma-separated items.
    fn list_or_csv<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        let Some(Value::String(text)) = self.value(name) else {
            let list = self.list(name, max, parse);
            self.note_csv(name);
            return list;
        };

        let items: Vec<Value> = text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(|item| Value::String(item.to_owned()))
            .collect();

        if items.is_empty() {
            return None;
        }
        strings(self, name, &items, max, parse)
    }

    /// Reads an object that must be present.
    fn required_object<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if !self.has_value(name) {
            self.reject(name, &FieldError::Required);
        }
        self.object(name, read)
    }

    /// Reads an object that may be absent, or null to clear the field.
    fn patch_object<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Patch<T> {
        if self.value(name).is_some() && !self.has_value(name) {
            return Patch::Clear;
        }
        self.object(name, read).map_or(Patch::Keep, Patch::Set)
    }

    /// Reads an object of at most `max` strings by name, which may be absent, or null to clear the
    /// field. An error of a string has its name, for example `metadata.color`.
    fn patch_map<T: JsonSchema + FromIterator<E>, E>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str, &str) -> Result<E, FieldError>,
    ) -> Patch<T> {
        self.note(name, Absence::Null, schema_of::<T>);
        let values = match self.value(name) {
            None => Ok(None),
            Some(Value::Null) => return Patch::Clear,
            Some(Value::Object(values)) if values.len() <= max => Ok(Some(values.clone())),
            Some(Value::Object(_)) => Err(FieldError::TooMany(max)),
            Some(_) => Err(FieldError::NotAnObject),
        };
        let Some(values) = self.record(name, values).flatten() else {
            return Patch::Keep;
        };

        let entries = values.iter().filter_map(|(key, value)| {
            let text = trimmed(value);
            let entry = text.and_then(|text| text.map(|text| parse(key, text)).transpose());
            self.record(&format!("{name}.{key}"), entry).flatten()
        });
        // Parses all entries before it returns, so that all errors are recorded.
        let entries: Vec<E> = entries.collect();
        Patch::Set(entries.into_iter().collect())
    }
}

impl<S: FieldSource> FieldReader for S {}

/// Returns a trimmed string; `None` if it is null or empty.
pub(super) fn trimmed(value: &Value) -> Result<Option<&str>, FieldError> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        _ => Err(FieldError::NotAString),
    }
}

fn schema_of<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Value {
    json!(schemas.subschema_for::<T>())
}

fn array_of<T: JsonSchema>(schemas: &mut SchemaGenerator, max: usize) -> Value {
    json!({"type": "array", "items": schema_of::<T>(schemas), "maxItems": max})
}

fn integer_schema(min: i64, max: i64) -> Value {
    json!({"type": "integer", "minimum": min, "maximum": max})
}

fn text_or_integer<T>(
    fields: &mut impl FieldSource,
    name: &str,
    named: impl FnOnce(&str) -> Result<T, FieldError>,
    numbered: impl FnOnce(i64) -> Result<T, FieldError>,
) -> Option<T> {
    let read = match fields.value(name) {
        Some(Value::Number(number)) => integral(number)
            .ok_or(FieldError::NotAnInteger)
            .and_then(numbered)
            .map(Some),
        None | Some(Value::Null | Value::String(_)) => fields
            .string(name)
            .and_then(|text| text.map(named).transpose()),
        Some(_) => Err(FieldError::NotAnInteger),
    };
    fields.record(name, read).flatten()
}

fn strings<T>(
    fields: &mut impl FieldSource,
    name: &str,
    items: &[Value],
    max: usize,
    parse: impl Fn(&str) -> Result<T, FieldError>,
) -> Option<Vec<T>> {
    if items.len() > max {
        return fields.record(name, Err(FieldError::TooMany(max)));
    }

    let parsed = items.iter().enumerate().map(|(index, item)| {
        let text = item.as_str().ok_or(FieldError::NotAString);
        let value = text.and_then(|text| parse(text.trim()));
        fields.record(&format!("{name}.{index}"), value)
    });
    // Parses all items before it fails, so that all errors are recorded.
    parsed.collect::<Vec<_>>().into_iter().collect()
}

/// Returns the integer value of a number without a fraction, as JSON Schema defines integers:
/// `60.0` is one. Numbers beyond 64 bits saturate, and so exceed every bound.
fn integral(number: &Number) -> Option<i64> {
    let integral = number.as_f64().filter(|number| number.fract() == 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
    number
        .as_i64()
        .or_else(|| integral.map(|number| number as i64))
}
