//! Reads the fields of a request into constrained types, and reports all errors together.

mod reader;

use std::collections::BTreeSet;

use domain::{
    env::Timestamp,
    errors::{FieldError, FieldErrors, ServiceError},
    naming::UrlPolicy,
};
use serde_json::{Map, Value};

use crate::fields::FieldReader;

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

    /// Returns the value of a field, or records its error.
    pub fn record<T>(&mut self, name: &str, read: Result<T, FieldError>) -> Option<T> {
        self.field_errors
            .record(&format!("{}{name}", self.prefix), read)
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

    fn value(&mut self, name: &str) -> Option<&Value> {
        self.read.insert(name.to_owned());
        self.values.get(name)
    }

    /// Reads a trimmed string; `None` if it is absent, null or empty.
    fn string(&mut self, name: &str) -> Result<Option<&str>, FieldError> {
        self.read.insert(name.to_owned());
        self.peek_string(name)
    }

    fn peek_string(&self, name: &str) -> Result<Option<&str>, FieldError> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) if self.repeated.contains(name) => Err(FieldError::Duplicate),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(_) => Err(FieldError::NotAString),
        }
    }

    /// Reads a string of a map; `None` if it is null or empty, or an error was recorded.
    fn optional_entry<E>(
        &mut self,
        key: &str,
        parse: impl Fn(&str, &str) -> Result<E, FieldError>,
    ) -> Option<E> {
        let read = self.string(key);
        let entry = read.and_then(|text| text.map(|text| parse(key, text)).transpose());
        self.record(key, entry).flatten()
    }

    fn strings<T>(
        &mut self,
        name: &str,
        items: &[Value],
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        if items.len() > max {
            self.reject(name, &FieldError::TooMany(max));
            return None;
        }

        let parsed = items.iter().enumerate().map(|(index, item)| {
            let text = item.as_str().ok_or(FieldError::NotAString);
            let value = text.and_then(|text| parse(text.trim()));
            self.record(&format!("{name}.{index}"), value)
        });
        // Parses all items before it fails, so that all errors are recorded.
        parsed.collect::<Vec<_>>().into_iter().collect()
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
