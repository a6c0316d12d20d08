//! Interface with which request types read their fields.
//!
//! A request type has one `read` function, which runs with two readers:
//! [`InputFields`](crate::fields::InputFields) parses and validates a request, and
//! `SchemaReader` records the schema. So the validation and the
//! OpenAPI document agree.
//!
//! Invariant: a `read` function reads every field before it uses a result, since the schema reader
//! returns no values.

use domain::{
    env::Timestamp,
    errors::{FieldError, FieldErrors},
    naming::{PublicHttpsUrl, UrlPolicy},
};
use schemars::JsonSchema;
use serde_json::Value;

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

/// Reads the fields of one object. Strings are trimmed, and an empty string is null. Fields that
/// are not read are ignored. A method that records a field error returns `None`.
pub trait FieldReader: Sized {
    /// Time of the request.
    fn now(&self) -> Timestamp;

    /// Which hosts URLs can have.
    fn url_policy(&self) -> UrlPolicy;

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
    ) -> Option<T>;

    /// Reads a string that may be absent or null.
    fn optional<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Option<T>;

    /// Reads a string that may be absent, but not null.
    fn non_null<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Option<T>;

    /// Reads a string that may be absent, or null to clear the field.
    fn patch<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, FieldError>,
    ) -> Patch<T>;

    /// Reads true or false, which may be absent.
    fn boolean(&mut self, name: &str) -> Option<bool>;

    /// Reads a number that may be absent or null.
    fn number<T: JsonSchema>(
        &mut self,
        name: &str,
        parse: impl FnOnce(f64) -> Result<T, FieldError>,
    ) -> Option<T>;

    /// Reads an integer from `min` to `max` that may be absent or null.
    fn integer(&mut self, name: &str, min: i64, max: i64) -> Option<i64>;

    /// Reads the size of a file: 1 to `max` bytes. It may be absent or null.
    fn file_size(&mut self, name: &str, max: i64) -> Option<i64>;

    /// Reads a string or an integer that may be absent or null.
    fn name_or_integer<T: JsonSchema>(
        &mut self,
        name: &str,
        named: impl FnOnce(&str) -> Result<T, FieldError>,
        numbered: impl FnOnce(i64) -> Result<T, FieldError>,
    ) -> Option<T>;

    /// Reads a string or a number as text; it may be absent or null. `T` is its schema, which is
    /// not checked.
    fn text_or_number<T: JsonSchema>(&mut self, name: &str) -> Option<String>;

    /// Reads a list of at most `max` strings that may be absent or null. An error of an item has
    /// the item's position in its name, for example `tags.0`.
    fn list<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>>;

    /// Reads a list of 1 to `max` strings that must be present.
    fn required_list<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>>;

    /// Reads a list like [`list`](FieldReader::list), or a string of comma-separated items.
    fn list_or_csv<T: JsonSchema>(
        &mut self,
        name: &str,
        max: usize,
        parse: impl Fn(&str) -> Result<T, FieldError>,
    ) -> Option<Vec<T>>;

    /// Reads a list of at most `max` objects that may be absent or null.
    fn objects<T>(
        &mut self,
        name: &str,
        max: usize,
        read: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>>;

    /// Reads an object that may be absent or null.
    fn object<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T>;

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
        if self.is_present(name) && !self.has_value(name) {
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
    ) -> Patch<T>;

    /// Describes a field that was read before, for users of the API. Only the schema contains it.
    fn describe(&mut self, _name: &str, _description: &'static str) {}

    /// Sets the example of a field that was read before. Only the schema contains it.
    fn example(&mut self, _name: &str, _example: impl FnOnce() -> Value) {}

    /// Rejects fields whose names are not in `allowed`.
    fn deny_unknown(&mut self, allowed: &[&str]);

    /// Whether a field is present, even if it is null.
    fn is_present(&self, name: &str) -> bool;

    /// Whether a field is present, and neither null nor empty.
    fn has_value(&self, name: &str) -> bool;

    /// Records an error of a field.
    fn reject(&mut self, name: &str, field_error: &FieldError);

    /// Records errors of several fields.
    fn merge(&mut self, field_errors: FieldErrors);
}
