//! A request's fields, read into constrained types; all that is wrong with them is reported
//! together.
//!
//! Strings are trimmed, and an empty one is null. Fields that nobody asks for are ignored.

use std::collections::BTreeSet;

use domain::{FieldError, FieldErrors, ServiceError, Timestamp};
use schemars::JsonSchema;
use serde_json::{Map, Number, Value};

use crate::{FieldReader, Patch};

/// The fields of one request, or of an object in it, and what is wrong with those that were read.
#[derive(Debug)]
pub struct InputFields {
    values: Map<String, Value>,
    /// What stands before the fields' names: the path to their object, with a dot at its end.
    prefix: String,
    /// The names of those that were given more than once.
    repeated: BTreeSet<String>,
    now: Timestamp,
    field_errors: FieldErrors,
}

impl InputFields {
    /// Fields to be read, at a moment.
    pub fn of(values: Map<String, Value>, now: Timestamp) -> InputFields {
        let (prefix, repeated) = (String::new(), BTreeSet::new());
        InputFields {
            values,
            prefix,
            repeated,
            now,
            field_errors: FieldErrors::default(),
        }
    }

    /// Fields from texts. A name that is given more than once is an error if its field is read.
    pub fn of_texts(
        texts: impl IntoIterator<Item = (String, String)>,
        now: Timestamp,
    ) -> InputFields {
        let mut fields = InputFields::of(Map::new(), now);
        for (name, text) in texts {
            if fields
                .values
                .insert(name.clone(), Value::String(text))
                .is_some()
            {
                fields.repeated.insert(name);
            }
        }
        fields
    }

    fn items<T>(
        &mut self,
        name: &str,
        items: &[Value],
        most: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        if items.len() > most {
            self.reject(name, &FieldError::TooMany(most));
            return None;
        }
        let read = items.iter().enumerate().map(|(index, item)| {
            let text = item.as_str().ok_or(FieldError::NotAString);
            self.record(
                &format!("{name}.{index}"),
                text.and_then(|text| parse(text.trim())),
            )
        });
        // All of them are read, so that all that is wrong is told.
        read.collect::<Vec<_>>().into_iter().collect()
    }

    /// The fields of an object in this one, which note what is wrong with them among its own.
    fn inner(&mut self, values: Map<String, Value>, prefix: String) -> InputFields {
        let field_errors = std::mem::take(&mut self.field_errors);
        InputFields {
            values,
            prefix,
            repeated: BTreeSet::new(),
            now: self.now,
            field_errors,
        }
    }

    /// Takes a field for one that is not there.
    pub fn ignore(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// Takes the value, or notes why there is none.
    pub fn record<T>(&mut self, name: &str, read: Result<T, FieldError>) -> Option<T> {
        self.field_errors
            .record(&format!("{}{name}", self.prefix), read)
    }

    /// Ends the reading: what was read, or all that is wrong.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, ServiceError> {
        if !self.field_errors.is_empty() {
            return Err(self.field_errors.into());
        }
        read.ok_or_else(|| ServiceError::internal("a request was refused without a reason"))
    }

    fn string(&self, name: &str) -> Result<Option<&str>, FieldError> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) if self.repeated.contains(name) => Err(FieldError::Duplicate),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(_) => Err(FieldError::NotAString),
        }
    }
}

impl FieldReader for InputFields {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn required<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Option<T> {
        let read = self
            .string(name)
            .and_then(|text| parse(text.ok_or(FieldError::Required)?));
        self.record(name, read)
    }

    fn optional<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Option<T> {
        let read = self
            .string(name)
            .and_then(|text| text.map(parse).transpose());
        self.record(name, read).flatten()
    }

    fn non_null<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Option<T> {
        if self.values.contains_key(name) {
            self.required(name, parse)
        } else {
            None
        }
    }

    fn patch<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Patch<T> {
        if !self.values.contains_key(name) {
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

    fn boolean(&mut self, name: &str) -> Option<bool> {
        let read = match self.values.get(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(_) => Err(FieldError::NotABoolean),
        };
        self.record(name, read).flatten()
    }

    fn number<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(f64) -> Result<T, FieldError>,
    ) -> Option<T> {
        let read = match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_f64()
                .ok_or(FieldError::NotANumber)
                .and_then(|number| parse(number).map(Some)),
        };
        self.record(name, read).flatten()
    }

    fn integer(&mut self, name: &str, least: i64, most: i64) -> Option<i64> {
        let bounded = |number: i64| match number {
            number if number < least => Err(FieldError::TooSmall(least)),
            number if number > most => Err(FieldError::TooLarge(most)),
            number => Ok(number),
        };
        self.name_or_integer(name, |_| Err(FieldError::NotAnInteger), bounded)
    }

    fn name_or_integer<T: JsonSchema>(
        &mut self,
        name: &str,
        named: impl FnOnce(&str) -> Result<T, FieldError>,
        numbered: impl FnOnce(i64) -> Result<T, FieldError>,
    ) -> Option<T> {
        let read = match self.values.get(name) {
            Some(Value::Number(number)) => whole(number)
                .ok_or(FieldError::NotAnInteger)
                .and_then(numbered)
                .map(Some),
            None | Some(Value::Null | Value::String(_)) => self
                .string(name)
                .and_then(|text| text.map(named).transpose()),
            Some(_) => Err(FieldError::NotAnInteger),
        };
        self.record(name, read).flatten()
    }

    fn list<T: JsonSchema>(
        &mut self,
        name: &str,
        most: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        let items = match self.values.get(name) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(items)) => items.clone(),
            Some(_) => {
                self.reject(name, &FieldError::NotAnArray);
                return None;
            }
        };
        self.items(name, &items, most, parse)
    }

    fn list_or_csv<T: JsonSchema>(
        &mut self,
        name: &str,
        most: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        let Some(Value::String(text)) = self.values.get(name) else {
            return self.list(name, most, parse);
        };
        let items = text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty());
        let items: Vec<Value> = items.map(|item| Value::String(item.to_owned())).collect();
        if items.is_empty() {
            None
        } else {
            self.items(name, &items, most, parse)
        }
    }

    fn objects<T>(
        &mut self,
        name: &str,
        most: usize,
        read: impl Fn(&mut InputFields) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = match self.values.get(name) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(items)) if items.len() <= most => items.clone(),
            Some(Value::Array(_)) => {
                self.reject(name, &FieldError::TooMany(most));
                return None;
            }
            Some(_) => {
                self.reject(name, &FieldError::NotAnArray);
                return None;
            }
        };
        let values = items
            .into_iter()
            .enumerate()
            .map(|(index, item)| (index.to_string(), item))
            .collect();
        let prefix = format!("{}{name}.", self.prefix);
        let mut list = self.inner(values, prefix);
        let read: Vec<Option<T>> = (0..list.values.len())
            .map(|index| list.required_object(&index.to_string(), &read))
            .collect();
        self.field_errors = list.field_errors;
        read.into_iter().collect()
    }

    fn object<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut InputFields) -> Option<T>,
    ) -> Option<T> {
        let values = match self.values.get(name) {
            None | Some(Value::Null) => return None,
            Some(Value::Object(values)) => values.clone(),
            Some(_) => {
                self.reject(name, &FieldError::NotAnObject);
                return None;
            }
        };
        let prefix = format!("{}{name}.", self.prefix);
        let mut inner = self.inner(values, prefix);
        let read = read(&mut inner);
        self.field_errors = inner.field_errors;
        read
    }

    fn required_list<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        let items = if self.has_value(name) {
            self.list(name, max, parse)?
        } else {
            Vec::new()
        };
        let items = if items.is_empty() {
            Err(FieldError::Required)
        } else {
            Ok(items)
        };
        self.record(name, items)
    }

    fn text_or_number<T: JsonSchema>(&mut self, name: &str) -> Option<String> {
        match self.values.get(name)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => {
                Some(whole(number).map_or_else(|| number.to_string(), |whole| whole.to_string()))
            }
            _ => self.record(name, Err(FieldError::NotAString)),
        }
    }

    fn merge(&mut self, field_errors: FieldErrors) {
        self.field_errors.extend(field_errors);
    }

    fn deny_unknown(&mut self, known: &[&str]) {
        let unknown: Vec<String> = self
            .values
            .keys()
            .filter(|name| !known.contains(&name.as_str()))
            .cloned()
            .collect();
        for name in unknown {
            self.reject(&name, &FieldError::UnknownKey);
        }
    }

    fn is_present(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    fn has_value(&self, name: &str) -> bool {
        !matches!(self.string(name), Ok(None))
    }

    fn reject(&mut self, name: &str, field_error: &FieldError) {
        self.field_errors
            .add(&format!("{}{name}", self.prefix), field_error);
    }
}

/// Returns a number without a fraction: as JSON Schema has it, `60.0` is an integer. What is beyond
/// 64 bits is the greatest or least of them, so that it is beyond every bound.
fn whole(number: &Number) -> Option<i64> {
    let whole = number.as_f64().filter(|number| number.fract() == 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
    number.as_i64().or_else(|| whole.map(|whole| whole as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Description, Opacity, SpaceName};
    use serde_json::json;

    fn fields(value: Value) -> InputFields {
        let Value::Object(values) = value else {
            panic!("an object")
        };
        InputFields::of(values, Timestamp::from_ms(0))
    }

    #[test]
    fn strings_are_trimmed_and_empty_ones_are_null() {
        let mut fields = fields(json!({"name": "  acme ", "description": "  ", "extra": 1}));
        assert_eq!(
            fields
                .required("name", SpaceName::parse)
                .expect("a name")
                .as_str(),
            "acme"
        );
        assert_eq!(fields.optional("description", Description::parse), None);
        assert_eq!(
            fields.patch("description", Description::parse),
            Patch::Clear
        );
        assert_eq!(fields.patch("absent", Description::parse), Patch::Keep);
        assert!(!fields.has_value("description"));
        assert!(fields.finish(Some(())).is_ok());
    }

    #[test]
    fn everything_wrong_is_told_together_by_its_whole_name() {
        let mut fields = fields(json!({
            "name": 1, "description": ["x"], "flag": "yes", "list": [],
            "outer": {"inner": {"number": 2, "odd": 0, "flag": null}},
        }));
        let name = fields.required("name", SpaceName::parse);
        fields.optional("description", Description::parse);
        fields.required("missing", SpaceName::parse);
        fields.required_object("absent", |_| Some(()));
        fields.object("list", |_| Some(()));
        fields.boolean("flag");
        fields.object("outer", |outer| {
            outer.object("inner", |inner| {
                inner.deny_unknown(&["number", "flag"]);
                inner.boolean("flag");
                inner.number("number", Opacity::new)
            })
        });
        let error = fields.finish(name).expect_err("field_errors");
        let messages = error.field_errors.into_messages();
        for (field, message) in [
            ("name", "The name field must be a string."),
            ("description", "The description field must be a string."),
            ("missing", "The missing field is required."),
            ("absent", "The absent field is required."),
            ("list", "The list field must be an object."),
            ("flag", "The flag field must be true or false."),
            (
                "outer.inner.number",
                "The outer.inner.number field must not be greater than 1.",
            ),
            ("outer.inner.odd", "The outer.inner.odd field is not known."),
            (
                "outer.inner.flag",
                "The outer.inner.flag field must be true or false.",
            ),
        ] {
            assert_eq!(messages[field], [message]);
        }
        assert_eq!(messages.len(), 9);
    }
}
