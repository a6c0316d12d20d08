//! What DynamoDB's operations need.

use serde_json::Value;

use super::{super::permission::RequiredPermission, text};
use crate::arn;

/// What an operation required, by its body. Batches need their own action on each table, transactions
/// that of each member.
pub(super) fn required(operation: &str, body: &Value) -> Vec<RequiredPermission> {
    match operation {
        "BatchGetItem" | "BatchWriteItem" => {
            let tables = body
                .get("RequestItems")
                .and_then(Value::as_object)
                .into_iter()
                .flatten();
            tables
                .map(|(table, _)| need(operation, arn::table(table)))
                .collect()
        }
        "TransactWriteItems" | "TransactGetItems" => {
            let items = body
                .get("TransactItems")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            items
                .filter_map(Value::as_object)
                .flatten()
                .map(|(kind, member)| of_member(kind, member))
                .collect()
        }
        _ => vec![need(operation, resource(body))],
    }
}

/// What one member of a transaction required.
fn of_member(kind: &str, member: &Value) -> RequiredPermission {
    let action = match kind {
        "ConditionCheck" => "ConditionCheckItem",
        "Delete" => "DeleteItem",
        "Get" => "GetItem",
        "Put" => "PutItem",
        "Update" => "UpdateItem",
        other => other,
    };
    need(action, resource(member))
}

/// What an action is on: an index, a table, or nothing in particular.
fn resource(body: &Value) -> String {
    match (text(body, "TableName"), text(body, "IndexName")) {
        (Some(table), Some(index)) => arn::index(table, index),
        (Some(table), None) => arn::table(table),
        (None, _) => "*".to_owned(),
    }
}

fn need(operation: &str, resource: String) -> RequiredPermission {
    RequiredPermission::new(&format!("dynamodb:{operation}"), resource)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_transaction_needs_what_its_members_need() {
        let body = json!({ "TransactItems": [
            { "Put": { "TableName": "a" } },
            { "ConditionCheck": { "TableName": "b" } },
        ] });
        assert_eq!(
            required("TransactWriteItems", &body),
            [
                need("PutItem", arn::table("a")),
                need("ConditionCheckItem", arn::table("b")),
            ]
        );
    }

    #[test]
    fn an_index_is_a_resource_of_its_own() {
        let body = json!({ "TableName": "a", "IndexName": "by-name" });
        let expected = "arn:aws:dynamodb:us-east-1:000000000000:table/a/index/by-name".to_owned();
        assert_eq!(required("Query", &body), [need("Query", expected)]);
    }
}
