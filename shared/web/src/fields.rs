//! A request's fields, read into constrained types; all that is wrong with them is reported together.
//!
//! Strings are trimmed, and an empty one is null. Fields that nobody asks for are ignored.

use axum::extract::{FromRequest, Request as HttpRequest};
use domain::{Fault, Violation, Violations};
use serde_json::{Map, Value};

use crate::{Failure, body::read_json};

/// The fields of one request, and what is wrong with those that were read.
#[derive(Debug, Default)]
pub struct Fields {
    values: Map<String, Value>,
    violations: Violations,
}

impl Fields {
    /// Fields to be read.
    pub fn of(values: Map<String, Value>) -> Fields {
        Fields { values, violations: Violations::default() }
    }

    /// A string that has to be there. `None` only where a violation was noted.
    pub fn required<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, Violation>) -> Option<T> {
        let read = self.string(name).and_then(|text| parse(text.ok_or(Violation::Required)?));
        self.violations.keep(name, read)
    }

    /// A string that may be absent or null. `None` also where a violation was noted.
    pub fn optional<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, Violation>) -> Option<T> {
        let read = self.string(name).and_then(|text| text.map(parse).transpose());
        self.violations.keep(name, read).flatten()
    }

    /// Whether a field is there, and not null or empty.
    pub fn has(&self, name: &str) -> bool {
        !matches!(self.string(name), Ok(None))
    }

    /// Notes what is wrong beyond single strings.
    pub fn violations(&mut self) -> &mut Violations {
        &mut self.violations
    }

    /// Ends the reading: what was read, or all that is wrong.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, Fault> {
        if !self.violations.is_empty() {
            return Err(self.violations.into());
        }
        read.ok_or_else(|| Fault::internal("a request was refused without a reason"))
    }

    fn string(&self, name: &str) -> Result<Option<&str>, Violation> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(_) => Err(Violation::NotAString),
        }
    }
}

/// A request body that is read field by field.
pub trait Request: Sized {
    /// Reads the fields it needs. `None` only where a violation was noted.
    fn read(fields: &mut Fields) -> Option<Self>;
}

/// A JSON body that was read, all of it valid.
pub struct Valid<T>(pub T);

impl<T: Request, S: Send + Sync> FromRequest<S> for Valid<T> {
    type Rejection = Failure;

    async fn from_request(request: HttpRequest, _state: &S) -> Result<Valid<T>, Failure> {
        let (parts, body) = request.into_parts();
        let bytes = read_json(&parts.headers, body).await?;
        let values = match serde_json::from_slice(&bytes) {
            Ok(Value::Object(values)) => values,
            Ok(_) => return Err(Fault::malformed("The body must be a JSON object.").into()),
            Err(error) => return Err(Fault::malformed(format!("The body is not JSON: {error}.")).into()),
        };
        let mut fields = Fields::of(values);
        let read = T::read(&mut fields);
        Ok(Valid(fields.finish(read)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Description, SpaceName};
    use serde_json::json;

    fn fields(value: Value) -> Fields {
        let Value::Object(values) = value else { panic!("an object") };
        Fields::of(values)
    }

    #[test]
    fn strings_are_trimmed_and_empty_ones_are_null() {
        let mut fields = fields(json!({"name": "  acme ", "description": "  ", "extra": 1}));
        assert_eq!(fields.required("name", SpaceName::parse).expect("a name").as_str(), "acme");
        assert_eq!(fields.optional("description", Description::parse), None);
        assert!(!fields.has("description"));
        assert!(fields.finish(Some(())).is_ok());
    }

    #[test]
    fn everything_wrong_is_told_together() {
        let mut fields = fields(json!({"name": 1, "description": ["x"]}));
        let name = fields.required("name", SpaceName::parse);
        fields.optional("description", Description::parse);
        fields.required("missing", SpaceName::parse);
        let fault = fields.finish(name).expect_err("three violations");
        let messages = fault.violations.into_messages();
        assert_eq!(messages["name"], ["The name field must be a string."]);
        assert_eq!(messages["description"], ["The description field must be a string."]);
        assert_eq!(messages["missing"], ["The missing field is required."]);
    }
}
