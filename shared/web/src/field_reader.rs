//! How requests name the fields that they read.
//!
//! The same reading code runs with two readers: [`InputFields`](crate::InputFields) parses and validates a
//! request, and [`SchemaReader`](crate::openapi::SchemaReader) records which fields there are, so
//! that the schema that the OpenAPI document shows is what is validated.
//!
//! Invariant: a `read` function reads every field before it looks at a result, since the schema
//! reader returns no values.

use domain::{FieldError, FieldErrors, Timestamp};
use schemars::JsonSchema;

/// A request, or an object in it, that is read field by field.
pub trait FromFields: Sized + Send {
    /// Reads the fields it needs. `None` only where a field error was recorded.
    fn read(fields: &mut impl FieldReader) -> Option<Self>;
}

/// What a request does to a field that may be cleared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patch<T> {
    /// Absent: the field stays as it is.
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
}

/// Reads the fields of one object. Strings are trimmed, and an empty one is null. Fields that are
/// not read are ignored.
///
/// Every method returns `None` also where a field error was recorded.
pub trait FieldReader: Sized {
    /// Time of the request.
    fn now(&self) -> Timestamp;

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

    /// Reads a string that may be absent, and that null clears.
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

    /// Reads a string or an integer that may be absent or null.
    fn name_or_integer<T: JsonSchema>(
        &mut self,
        name: &str,
        named: impl FnOnce(&str) -> Result<T, FieldError>,
        numbered: impl FnOnce(i64) -> Result<T, FieldError>,
    ) -> Option<T>;

    /// Reads a string or a number as text; it may be absent or null. `T` describes it and is not
    /// checked.
    fn text_or_number<T: JsonSchema>(&mut self, name: &str) -> Option<String>;

    /// Reads a list of at most `max` strings that may be absent or null. Errors name an item by its
    /// position.
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

    /// Reads a list as [`list`](FieldReader::list) does, or one string with commas between the
    /// items.
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

    /// Reads an object that may be absent, and that null clears.
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

    /// Rejects fields other than these.
    fn deny_unknown(&mut self, known: &[&str]);

    /// Whether a field is present, be it null.
    fn is_present(&self, name: &str) -> bool;

    /// Whether a field is present, and neither null nor empty.
    fn has_value(&self, name: &str) -> bool;

    /// Records what is wrong with a field beyond its own value.
    fn reject(&mut self, name: &str, field_error: &FieldError);

    /// Records what is wrong with several fields.
    fn merge(&mut self, field_errors: FieldErrors);
}
