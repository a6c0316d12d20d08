//! Permissions of DynamoDB operations.

use super::requested::RequestedResources;
use crate::{arn, proxy::permission::RequiredPermission};

/// Returns the permissions that a request requires. A batch requires its own action on each table,
/// a transaction the action of each of its operations.
pub(super) fn required_permissions(
    operation: &str,
    requested: &RequestedResources,
) -> Vec<RequiredPermission> {
    match operation {
        "BatchGetItem" | "BatchWriteItem" => {
            let tables = requested.request_items.iter().flatten();
            tables
                .map(|(table, _)| required(operation, arn::table(table)))
                .collect()
        }
        "TransactWriteItems" | "TransactGetItems" => {
            let operations = requested.transact_items.iter().flatten().flatten();
            operations
                .map(|(kind, operation)| {
                    let table = operation.table_name.as_deref();
                    required(action_in_transaction(kind), resource(table, None))
                })
                .collect()
        }
        _ => {
            let table = requested.table_name.as_deref();
            let index = requested.index_name.as_deref();
            vec![required(operation, resource(table, index))]
        }
    }
}

/// Returns the action of an operation in a transaction.
fn action_in_transaction(kind: &str) -> &str {
    match kind {
        "ConditionCheck" => "ConditionCheckItem",
        "Delete" => "DeleteItem",
        "Get" => "GetItem",
        "Put" => "PutItem",
        "Update" => "UpdateItem",
        other => other,
    }
}

/// Returns the ARN of an index or a table; `*` without a table.
fn resource(table: Option<&str>, index: Option<&str>) -> String {
    match (table, index) {
        (None, _) => "*".to_owned(),
        (Some(table), None) => arn::table(table),
        (Some(table), Some(index)) => arn::index(table, index),
    }
}

fn required(operation: &str, resource: String) -> RequiredPermission {
    RequiredPermission::new(&format!("dynamodb:{operation}"), resource)
}
