//! Permissions of DynamoDB operations.

use serde_json::Value;

use super::json::string;
use crate::{arn, proxy::permission::RequiredPermission};

/// Returns the permissions that a request requires. A batch requires its own action on each table,
/// a transaction the action of each of its operations.
pub(super) fn required_permissions(operation: &str, body: &Value) -> Vec<RequiredPermission> {
    match operation {
        "BatchGetItem" | "BatchWriteItem" => {
            let tables = body.get("RequestItems").and_then(Value::as_object);
            tables
                .into_iter()
                .flatten()
                .map(|(table, _)| required(operation, arn::table(table)))
                .collect()
        }
        "TransactWriteItems" | "TransactGetItems" => {
            let items = body.get("TransactItems").and_then(Value::as_array);
            items
                .into_iter()
                .flatten()
                .filter_map(Value::as_object)
                .flatten()
                .map(|(kind, operation)| required(action_in_transaction(kind), resource(operation)))
                .collect()
        }
        _ => vec![required(operation, resource(body))],
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

/// Returns the ARN of the index or table that a request names, else `*`.
fn resource(body: &Value) -> String {
    let Some(table) = string(body, "TableName") else {
        return "*".to_owned();
    };
    match string(body, "IndexName") {
        Some(index) => arn::index(table, index),
        None => arn::table(table),
    }
}

fn required(operation: &str, resource: String) -> RequiredPermission {
    RequiredPermission::new(&format!("dynamodb:{operation}"), resource)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn transaction_requires_permissions_of_all_its_operations() {
        let body = json!({ "TransactItems": [
            { "Put": { "TableName": "a" } },
            { "ConditionCheck": { "TableName": "b" } },
        ] });
        assert_eq!(
            required_permissions("TransactWriteItems", &body),
            [
                required("PutItem", arn::table("a")),
                required("ConditionCheckItem", arn::table("b")),
            ]
        );
    }

    #[test]
    fn query_of_index_requires_permission_on_index() {
        let body = json!({ "TableName": "a", "IndexName": "by-name" });
        let index = "arn:aws:dynamodb:us-east-1:000000000000:table/a/index/by-name".to_owned();
        assert_eq!(
            required_permissions("Query", &body),
            [required("Query", index)]
        );
    }
}
