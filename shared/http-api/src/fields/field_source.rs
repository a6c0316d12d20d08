//! Where request types read their fields from.
//!
//! There are two sources: [`InputFields`](crate::fields::InputFields), the fields of a request, and
//! `SchemaReader`, which has no values and notes what is read. Both are read by the same
//! [`FieldReader`](crate::fields::FieldReader), so that validation and OpenAPI document agree.

use domain::{
    env::Timestamp,
    errors::{FieldError, FieldErrors},
    naming::UrlPolicy,
};
use schemars::SchemaGenerator;
use serde_json::Value;

/// Values that an optional field accepts as absent.
#[derive(Clone, Copy)]
pub enum Absence {
    /// None: the field may only be absent.
    Missing,
    Null,
    /// Null or an empty string.
    Blank,
}

/// The fields of one object. Fields that are not read are ignored.
pub trait FieldSource: Sized {
    /// Time of the request.
    fn now(&self) -> Timestamp;

    /// Which hosts URLs can have.
    fn url_policy(&self) -> UrlPolicy;

    /// Whether the values are those of a query or form, in which numbers are digits.
    fn are_texts(&self) -> bool;

    /// Reads the value of a field.
    fn value(&mut self, name: &str) -> Option<&Value>;

    /// Reads a trimmed string; `None` if it is absent, null or empty.
    fn string(&mut self, name: &str) -> Result<Option<&str>, FieldError>;

    /// Reads a list of at most `max` objects that may be absent or null.
    fn objects<T>(
        &mut self,
        name: &str,
        max: usize,
        read: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>>;

    /// Reads an object that may be absent or null.
    fn object<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T>;

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

    /// Returns the value of a field, or records its error.
    fn record<T>(&mut self, name: &str, read: Result<T, FieldError>) -> Option<T> {
        read.map_err(|field_error| self.reject(name, &field_error))
            .ok()
    }

    /// Notes the schema of a field that is read.
    fn note(
        &mut self,
        _name: &str,
        _absence: Absence,
        _schema: impl FnOnce(&mut SchemaGenerator) -> Value,
    ) {
    }

    /// Notes that a list is also accepted as text.
    fn note_csv(&mut self, _name: &str) {}

    /// Describes a field that was read before, for users of the API. Only the schema contains it.
    fn describe(&mut self, _name: &str, _description: &'static str) {}

    /// Sets the example of a field that was read before. Only the schema contains it.
    fn example(&mut self, _name: &str, _example: impl FnOnce() -> Value) {}
}
