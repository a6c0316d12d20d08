//! Times in responses.

use std::borrow::Cow;

use domain::env::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

/// Time in RFC 3339, in UTC with milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Rfc3339(String);

/// The schema of [`Timestamp`]: requests and responses have one type of times.
impl JsonSchema for Rfc3339 {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Timestamp::schema_name()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        schemas.subschema_for::<Timestamp>()
    }
}

impl From<Timestamp> for Rfc3339 {
    fn from(time: Timestamp) -> Rfc3339 {
        Rfc3339(time.rfc3339())
    }
}
