//! Query parameters that are booleans, among them `force` of deletions.

use domain::errors::FieldError;

use crate::fields::{FieldReader, FromFields};

/// Query parameter `force`: whether the contents are deleted too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Force(pub bool);

impl FromFields for Force {
    fn read(fields: &mut impl FieldReader) -> Option<Force> {
        let force = query_boolean(fields, "force");
        fields.describe(
            "force",
            "Whether to delete what is not empty, with all of its contents: `true`, `1`, `false` or `0`. \
             Default: false.",
        );
        Some(Force(force.unwrap_or_default()))
    }
}

/// Reads a query parameter that is `true`, `1`, `false` or `0`, or absent.
pub fn query_boolean(fields: &mut impl FieldReader, name: &str) -> Option<bool> {
    fields.optional(name, |text| match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(FieldError::NotABoolean),
    })
}
