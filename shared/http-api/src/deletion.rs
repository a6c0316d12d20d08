//! Deletions: query parameters that are booleans, and the response to a deletion with contents.

use axum::response::{IntoResponse, Response};
use domain::errors::FieldError;

use crate::{
    Accepted, FieldReader, FromFields, NoContent,
    openapi::{DescribeOutput, OperationBuilder},
};

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

/// Progress of a deletion when the response is sent.
pub enum Deletion {
    /// 204: the deletion has ended.
    Completed,
    /// 202: the contents are deleted in the background.
    Started,
}

impl From<Force> for Deletion {
    fn from(Force(force): Force) -> Deletion {
        if force {
            Deletion::Started
        } else {
            Deletion::Completed
        }
    }
}

impl IntoResponse for Deletion {
    fn into_response(self) -> Response {
        match self {
            Deletion::Completed => NoContent.into_response(),
            Deletion::Started => Accepted.into_response(),
        }
    }
}

impl DescribeOutput for Deletion {
    fn describe(operation: &mut OperationBuilder<'_>) {
        NoContent::describe(operation);
        Accepted::describe(operation);
    }
}
