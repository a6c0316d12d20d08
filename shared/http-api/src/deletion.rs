//! Deletion of something with its contents: the query parameter that requests it, and the response.

use axum::response::{IntoResponse, Response};
use domain::FieldError;

use crate::{
    Accepted, FieldReader, FromFields, NoContent,
    openapi::{DescribeOutput, OperationBuilder},
};

/// Query parameter `force`: whether the contents are deleted too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Force(pub bool);

impl FromFields for Force {
    fn read(fields: &mut impl FieldReader) -> Option<Force> {
        let force = fields.optional("force", |text| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(FieldError::NotABoolean),
        });
        fields.describe(
            "force",
            "Whether to delete what is not empty, with all of its contents: `true`, `1`, `false` or `0`. \
             Default: false.",
        );
        Some(Force(force.unwrap_or_default()))
    }
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
