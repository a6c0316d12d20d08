//! The fields of a request, and the errors that reading them reports together.

use std::collections::BTreeSet;

use domain::{
    env::Timestamp,
    errors::{FieldError, FieldErrors, ServiceError},
    naming::UrlPolicy,
};
use serde_json::{Map, Value};

use super::field_reader::trimmed;
use crate::fields::{FieldReader, FieldSource};

/// The fields of a request, or of an object in it, and the errors found so far.
#[derive(Debug)]
pub struct InputFields {
    values: Map<String, Value>,
    /// Prefix of field names in errors: the path of the object with a trailing dot.
    prefix: String,
    /// Whether the values are those of a query or form, in which numbers are digits.
    are_texts: bool,
    /// Names that occur more than once in a query or form.
    repeated: BTreeSet<String>,
    /// Names of the fields that were read.
    read: BTreeSet<String>,
    now: Timestamp,
    url_policy: UrlPolicy,
    field_errors: FieldErrors,
}

impl InputFields {
    /// Returns the fields of a JSON object; `now` is the time of the request.
    pub fn of(values: Map<String, Value>, now: Timestamp) -> InputFields {
        InputFields {
            values,
            prefix: String::new(),
            are_texts: false,
            repeated: BTreeSet::new(),
            read: BTreeSet::new(),
            now,
            url_policy: UrlPolicy::PublicOnly,
            field_errors: FieldErrors::default(),
        }
    }

    /// Replaces which hosts URLs can have; by default, only public ones.
    #[must_use]
    pub fn with_url_policy(self, url_policy: UrlPolicy) -> InputFields {
        InputFields { url_policy, ..self }
    }

    /// Returns the fields of a query or form. Reading a field that occurs more than once is an
    /// error.
    pub fn of_texts(
        texts: impl IntoIterator<Item = (String, String)>,
        now: Timestamp,
    ) -> InputFields {
        let mut fields = InputFields {
            are_texts: true,
            ..InputFields::of(Map::new(), now)
        };
        for (name, text) in texts {
            let previous = fields.values.insert(name.clone(), Value::String(text));
            if previous.is_some() {
                fields.repeated.insert(name);
            }
        }
        fields
    }

    /// Treats a field as absent.
    pub fn ignore(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// Returns the request. Fails with 422 if there are field errors.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, ServiceError> {
        if !self.field_errors.is_empty() {
            return Err(self.field_errors.into());
        }
        read.ok_or_else(|| ServiceError::internal("a request was rejected without a field error"))
    }

    /// Returns the strings that were read so far, trimmed and sorted by name, without empty ones.
    pub(crate) fn strings_read(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.read.iter().filter_map(|name| {
            let text = self.values.get(name)?.as_str()?.trim();
            Some((name.as_str(), text))
        });
        texts.filter(|(_, text)| !text.is_empty())
    }

    /// Returns whether a field was read, present or not.
    pub fn is_read(&self, name: &str) -> bool {
        self.read.contains(name)
    }

    /// Rejects the fields of a query that were not read, except `always_allowed`.
    pub(crate) fn reject_unread(&mut self, always_allowed: &str) {
        self.read.insert(always_allowed.to_owned());
        let unknown: Vec<String> = self
            .values
            .keys()
            .filter(|name| !self.is_read(name))
            .cloned()
            .collect();

        let allowed: Vec<&str> = self.read.iter().map(String::as_str).collect();
        let field_error = FieldError::UnknownParameter(allowed.join(", "));
        for name in unknown {
            self.field_errors.add(&name, &field_error);
        }
    }

    fn peek_string(&self, name: &str) -> Result<Option<&str>, FieldError> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) if self.repeated.contains(name) => Err(FieldError::Duplicate),
            Some(value) => trimmed(value),
        }
    }

    /// Returns the fields of a nested object. They take over the recorded errors, until
    /// [`leave`](InputFields::leave) returns them.
    fn enter(&mut self, name: &str, values: Map<String, Value>) -> InputFields {
        InputFields {
            values,
            prefix: format!("{}{name}.", self.prefix),
            are_texts: self.are_texts,
            repeated: BTreeSet::new(),
            read: BTreeSet::new(),
            now: self.now,
            url_policy: self.url_policy,
            field_errors: std::mem::take(&mut self.field_errors),
        }
    }

    fn leave(&mut self, nested: InputFields) {
        self.field_errors = nested.field_errors;
    }
}

impl FieldSource for InputFields {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn url_policy(&self) -> UrlPolicy {
        self.url_policy
    }

    fn are_texts(&self) -> bool {
        self.are_texts
    }

    fn value(&mut self, name: &str) -> Option<&Value> {
        self.read.insert(name.to_owned());
        self.values.get(name)
    }

    fn string(&mut self, name: &str) -> Result<Option<&str>, FieldError> {
        self.read.insert(name.to_owned());
        self.peek_string(name)
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
            Some(Value::Array(_)) => return self.record(name, Err(FieldError::TooMany(max))),
            Some(_) => return self.record(name, Err(FieldError::NotAnArray)),
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
            Some(_) => return self.record(name, Err(FieldError::NotAnObject)),
        };

        let mut nested = self.enter(name, values);
        let object = read(&mut nested);
        self.leave(nested);
        object
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

    fn merge(&mut self, field_errors: FieldErrors) {
        self.field_errors.extend(field_errors);
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        naming::{Description, SpaceName},
        settings::Opacity,
    };
    use serde_json::json;

    use super::*;
    use crate::fields::Patch;

    fn fields(value: Value) -> InputFields {
        let Value::Object(values) = value else {
            panic!("not an object")
        };
        InputFields::of(values, Timestamp::from_ms(0))
    }

    #[test]
    fn strings_are_trimmed_and_empty_strings_are_null() {
        let mut fields = fields(json!({"name": "  acme ", "description": "  ", "extra": 1}));

        let name = fields.required("name", SpaceName::parse);
        assert_eq!(name.expect("a name").as_str(), "acme");
        assert_eq!(fields.optional("description", Description::parse), None);
        let description = fields.patch("description", Description::parse);
        assert_eq!(description, Patch::Clear);
        let absent = fields.patch("absent", Description::parse);
        assert_eq!(absent, Patch::Keep);
        assert!(!fields.has_value("description"));
        assert!(fields.finish(Some(())).is_ok());
    }

    #[test]
    fn all_errors_are_reported_with_full_field_names() {
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

        let error = fields.finish(name).expect_err("field errors");
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
            (
                "outer.inner.odd",
                "The outer.inner.odd field is not supported.",
            ),
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
