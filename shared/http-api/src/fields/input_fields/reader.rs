//! Parses and validates fields.

use domain::{
    env::Timestamp,
    errors::{FieldError, FieldErrors, parse_integer},
    naming::UrlPolicy,
};
use schemars::JsonSchema;
use serde_json::{Number, Value};

use super::InputFields;
use crate::fields::{FieldReader, Patch};

impl FieldReader for InputFields {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn url_policy(&self) -> UrlPolicy {
        self.url_policy
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
        self.value(name)?;
        self.required(name, parse)
    }

    fn patch<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Patch<T> {
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

    fn boolean(&mut self, name: &str) -> Option<bool> {
        let read = match self.value(name) {
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
        let read = match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_f64()
                .ok_or(FieldError::NotANumber)
                .and_then(|number| parse(number).map(Some)),
        };
        self.record(name, read).flatten()
    }

    fn integer(&mut self, name: &str, min: i64, max: i64) -> Option<i64> {
        let bounded = |number: i64| match number {
            number if number < min => Err(FieldError::TooSmall(min)),
            number if number > max => Err(FieldError::TooLarge(max)),
            number => Ok(number),
        };
        let are_texts = self.are_texts;
        let parse = |text: &str| {
            if are_texts {
                bounded(parse_integer(text)?)
            } else {
                Err(FieldError::NotAnInteger)
            }
        };
        self.name_or_integer(name, parse, bounded)
    }

    fn file_size(&mut self, name: &str, max: i64) -> Option<i64> {
        let bounded = |size: i64| match size {
            size if size < 1 => Err(FieldError::TooSmall(1)),
            size if size > max => Err(FieldError::TooManyBytes(max.unsigned_abs())),
            size => Ok(size),
        };
        self.name_or_integer(name, |_| Err(FieldError::NotAnInteger), bounded)
    }

    fn name_or_integer<T: JsonSchema>(
        &mut self,
        name: &str,
        named: impl FnOnce(&str) -> Result<T, FieldError>,
        numbered: impl FnOnce(i64) -> Result<T, FieldError>,
    ) -> Option<T> {
        let read = match self.value(name) {
            Some(Value::Number(number)) => integral(number)
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
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        let items = match self.value(name) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(items)) => items.clone(),
            Some(_) => {
                self.reject(name, &FieldError::NotAnArray);
                return None;
            }
        };
        self.strings(name, &items, max, parse)
    }

    fn list_or_csv<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        let Some(Value::String(text)) = self.value(name) else {
            return self.list(name, max, parse);
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
        self.strings(name, &items, max, parse)
    }

    fn objects<T>(
        &mut self,
        name: &str,
        max: usize,
        read: impl Fn(&mut InputFields) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = match self.value(name) {
            None | Some(Value::Null) => return None,
            Some(Value::Array(items)) if items.len() <= max => items.clone(),
            Some(Value::Array(_)) => {
                self.reject(name, &FieldError::TooMany(max));
                return None;
            }
            Some(_) => {
                self.reject(name, &FieldError::NotAnArray);
                return None;
            }
        };
        let count = items.len();
        let values = items
            .into_iter()
            .enumerate()
            .map(|(index, item)| (index.to_string(), item))
            .collect();

        let mut list = self.enter(name, values);
        let objects: Vec<Option<T>> = (0..count)
            .map(|index| list.required_object(&index.to_string(), &read))
            .collect();
        self.leave(list);
        objects.into_iter().collect()
    }

    fn object<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut InputFields) -> Option<T>,
    ) -> Option<T> {
        let values = match self.value(name) {
            None | Some(Value::Null) => return None,
            Some(Value::Object(values)) => values.clone(),
            Some(_) => {
                self.reject(name, &FieldError::NotAnObject);
                return None;
            }
        };

        let mut nested = self.enter(name, values);
        let object = read(&mut nested);
        self.leave(nested);
        object
    }

    fn patch_map<T: JsonSchema + FromIterator<E>, E>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str, &str) -> Result<E, FieldError>,
    ) -> Patch<T> {
        let values = match self.value(name) {
            None => return Patch::Keep,
            Some(Value::Null) => return Patch::Clear,
            Some(Value::Object(values)) if values.len() <= max => values.clone(),
            Some(Value::Object(_)) => {
                self.reject(name, &FieldError::TooMany(max));
                return Patch::Keep;
            }
            Some(_) => {
                self.reject(name, &FieldError::NotAnObject);
                return Patch::Keep;
            }
        };
        let keys: Vec<String> = values.keys().cloned().collect();

        let mut map = self.enter(name, values);
        let entries: Vec<E> = keys
            .iter()
            .filter_map(|key| map.optional_entry(key, &parse))
            .collect();
        self.leave(map);
        Patch::Set(entries.into_iter().collect())
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
        if items.is_empty() {
            self.reject(name, &FieldError::Required);
            return None;
        }
        Some(items)
    }

    fn text_or_number<T: JsonSchema>(&mut self, name: &str) -> Option<String> {
        match self.value(name)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(
                integral(number).map_or_else(|| number.to_string(), |integer| integer.to_string()),
            ),
            _ => self.record(name, Err(FieldError::NotAString)),
        }
    }

    fn merge(&mut self, field_errors: FieldErrors) {
        self.field_errors.extend(field_errors);
    }

    fn deny_unknown(&mut self, allowed: &[&str]) {
        let unknown: Vec<String> = self
            .values
            .keys()
            .filter(|name| !allowed.contains(&name.as_str()))
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
        !matches!(self.peek_string(name), Ok(None))
    }

    fn reject(&mut self, name: &str, field_error: &FieldError) {
        self.field_errors
            .add(&format!("{}{name}", self.prefix), field_error);
    }
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
