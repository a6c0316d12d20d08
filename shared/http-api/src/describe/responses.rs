//! Descriptions of responses.

use axum::Json;
use schemars::JsonSchema;
use serde_json::{Value, json};

use super::{DescribeOutput, OperationBuilder};
use crate::{
    request::PageResponse,
    response::{Accepted, ApiError, Created, CreatedUnwrapped, Data, Deletion, NoContent},
};

/// Errors are described by the extractors and the [`Endpoint`](crate::describe::Endpoint).
impl<T: DescribeOutput> DescribeOutput for Result<T, ApiError> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        T::describe(operation);
    }
}

impl<T: JsonSchema> DescribeOutput for Data<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        let schema = data::<T>(operation);
        operation.json_response(200, "Success.", &schema);
    }
}

impl<T: JsonSchema> DescribeOutput for Created<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        let schema = data::<T>(operation);
        operation.json_response(201, "Created.", &schema);
    }
}

impl<T: JsonSchema> DescribeOutput for CreatedUnwrapped<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        let schema = operation.schemas.subschema_for::<T>();
        operation.json_response(201, "Created.", &json!(schema));
    }
}

impl<T: JsonSchema> DescribeOutput for Json<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        let schema = operation.schemas.subschema_for::<T>();
        operation.json_response(200, "Success.", &json!(schema));
    }
}

impl<T: JsonSchema> DescribeOutput for PageResponse<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        let item = operation.schemas.subschema_for::<T>();
        let cursor = json!({"type": ["string", "null"], "description": "Value of `cursor` for the adjacent page; null if there is none."});
        let schema = json!({
            "type": "object",
            "properties": {
                "data": {"type": "array", "items": item},
                "path": {"type": "string"},
                "per_page": {"type": "integer"},
                "next_cursor": cursor,
                "prev_cursor": cursor,
            },
            "required": ["data", "path", "per_page", "next_cursor", "prev_cursor"],
        });
        operation.json_response(200, "One page of the list.", &schema);
    }
}

impl DescribeOutput for NoContent {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.empty_response(204, "Done.");
    }
}

impl DescribeOutput for Accepted {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.empty_response(202, "Accepted. The operation continues in the background.");
    }
}

impl DescribeOutput for Deletion {
    fn describe(operation: &mut OperationBuilder<'_>) {
        NoContent::describe(operation);
        Accepted::describe(operation);
    }
}

/// Schema of `{"data": …}`.
fn data<T: JsonSchema>(operation: &mut OperationBuilder<'_>) -> Value {
    let schema = operation.schemas.subschema_for::<T>();
    json!({"type": "object", "properties": {"data": schema}, "required": ["data"]})
}
