//! The DynamoDB items that a call accesses.

use serde_json::Value;

use crate::arn;

/// How a call accesses its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    /// `TransactGetItems`.
    TransactionalRead,
    /// `TransactWriteItems`.
    TransactionalWrite,
    /// `PutItem`, `UpdateItem`, `DeleteItem`.
    Write,
}

/// An item that a request names.
#[derive(Clone, Debug)]
pub(super) struct AccessedItem {
    pub(super) table_arn: String,
    /// Attributes that include the key.
    pub(super) attributes: Value,
}

/// The items that a request accesses.
#[derive(Clone, Debug)]
pub(crate) struct ItemAccess {
    pub(super) kind: AccessKind,
    /// In the order of the request.
    pub(super) items: Vec<AccessedItem>,
}

impl ItemAccess {
    /// Parses a request. `None` for an operation that never conflicts with a transaction.
    pub(super) fn parse(operation: &str, body: &[u8]) -> Option<ItemAccess> {
        let kind = match operation {
            "TransactGetItems" => AccessKind::TransactionalRead,
            "TransactWriteItems" => AccessKind::TransactionalWrite,
            "DeleteItem" | "PutItem" | "UpdateItem" => AccessKind::Write,
            _ => return None,
        };

        let mut request: Value = serde_json::from_slice(body).ok()?;
        let operations = match kind {
            AccessKind::Write => vec![request],
            AccessKind::TransactionalRead | AccessKind::TransactionalWrite => request
                .get_mut("TransactItems")?
                .as_array_mut()?
                .drain(..)
                .filter_map(|member| member.as_object()?.values().next().cloned())
                .collect(),
        };

        Some(ItemAccess {
            kind,
            items: operations
                .into_iter()
                .filter_map(AccessedItem::parse)
                .collect(),
        })
    }
}

impl AccessedItem {
    /// Parses a single operation, which names the item by `Key` or contains it as `Item`.
    fn parse(mut operation: Value) -> Option<AccessedItem> {
        let table_arn = arn::table(operation.get("TableName")?.as_str()?);
        let attributes = match operation.get_mut("Key") {
            Some(key) => key.take(),
            None => operation.get_mut("Item")?.take(),
        };
        Some(AccessedItem {
            table_arn,
            attributes,
        })
    }
}
