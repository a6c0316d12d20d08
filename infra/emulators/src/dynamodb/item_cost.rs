//! Capacity units that a call takes from each of its items.
//!
//! Units are those of "DynamoDB read and write operations" (Amazon DynamoDB Developer Guide): a
//! read of up to 4 KB takes one read unit if it is strongly consistent, half of one if it is
//! eventually consistent, and two in a transaction, also if the item does not exist. A write of up
//! to 1 KB takes one write unit, and two in a transaction. It counts the larger of the item before
//! and after it.
//!
//! Queries and scans take no units of single items here.

use bytes::Bytes;
use serde_json::Value;

use super::{item_size::item_size, tables::Tables};

/// Bytes that the units of one read pay for.
const READ_BYTES: usize = 4 * 1024;
/// Bytes that the units of one write pay for.
const WRITE_BYTES: usize = 1024;

/// Units that a call takes from one item.
#[derive(Debug)]
pub(crate) struct ItemCost {
    pub(crate) half_read_units: usize,
    pub(crate) write_units: usize,
}

/// An operation on one item, a whole call or a part of one.
struct ItemOperation {
    table: String,
    /// Attributes that include the key.
    attributes: Value,
    kind: OperationKind,
    /// 1, or 2 in a transaction.
    factor: usize,
}

enum OperationKind {
    Read {
        is_consistent: bool,
    },
    /// A write after which the item has at most this size in bytes, if it is larger than before.
    Put(usize),
    /// A write that adds at most this number of bytes to the item.
    Update(usize),
}

/// A call whose costs can be determined.
pub(crate) struct CostedCall {
    pub(crate) tables: Tables,
    pub(crate) operation: String,
    pub(crate) body: Bytes,
}

impl CostedCall {
    /// Returns the costs in the order of the items. Blocks.
    pub(crate) fn costs(&self) -> Vec<ItemCost> {
        let request: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        operations(&self.operation, &request)
            .iter()
            .filter_map(|operation| operation.cost(&self.tables))
            .collect()
    }
}

/// Returns a name of each item that a call names, which no other item has; `None` if its table does
/// not exist.
pub(crate) fn item_names(tables: &Tables, operation: &str, body: &[u8]) -> Vec<Option<String>> {
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    operations(operation, &request)
        .iter()
        .map(|operation| Some(operation.item_name(&operation.key(tables)?)))
        .collect()
}

fn operations(operation: &str, request: &Value) -> Vec<ItemOperation> {
    match operation {
        "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" => {
            ItemOperation::parse(operation.trim_end_matches("Item"), request, 1)
                .into_iter()
                .collect()
        }
        "TransactGetItems" | "TransactWriteItems" => members(&request["TransactItems"])
            .filter_map(|(kind, member)| ItemOperation::parse(kind, member, 2))
            .collect(),
        "BatchGetItem" => requests_by_table(request)
            .flat_map(|(table, part)| keys_of(table, part))
            .collect(),
        "BatchWriteItem" => requests_by_table(request)
            .flat_map(|(table, part)| writes_of(table, part))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the single entries of a list of objects such as `[{"Put": …}, {"Delete": …}]`.
fn members(list: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = list.as_array().into_iter().flatten();
    members
        .filter_map(|member| member.as_object()?.iter().next())
        .map(|(kind, operation)| (kind.as_str(), operation))
}

fn requests_by_table(request: &Value) -> impl Iterator<Item = (&String, &Value)> {
    request["RequestItems"].as_object().into_iter().flatten()
}

/// Returns the reads of one table's part of a `BatchGetItem`.
fn keys_of<'a>(table: &'a str, part: &'a Value) -> impl Iterator<Item = ItemOperation> + 'a {
    let is_consistent = part["ConsistentRead"] == true;
    let keys = part["Keys"].as_array().into_iter().flatten();
    keys.map(move |key| ItemOperation {
        table: table.to_owned(),
        attributes: key.clone(),
        kind: OperationKind::Read { is_consistent },
        factor: 1,
    })
}

/// Returns the writes of one table's part of a `BatchWriteItem`.
fn writes_of<'a>(table: &'a str, part: &'a Value) -> impl Iterator<Item = ItemOperation> + 'a {
    members(part).map(move |(_, write)| ItemOperation {
        table: table.to_owned(),
        attributes: attributes_of(write),
        kind: OperationKind::Put(item_size(&write["Item"])),
        factor: 1,
    })
}

/// Returns the attributes of an operation that names its item by `Key` or contains it as `Item`.
fn attributes_of(operation: &Value) -> Value {
    operation.get("Key").unwrap_or(&operation["Item"]).clone()
}

impl ItemOperation {
    /// Parses an operation of a kind: `Get`, `Put`, `Update`, `Delete` or `ConditionCheck`.
    fn parse(kind: &str, operation: &Value, factor: usize) -> Option<ItemOperation> {
        let kind = match kind {
            // Each of the two reads of a transaction takes a whole unit.
            "Get" => OperationKind::Read {
                is_consistent: factor > 1 || operation["ConsistentRead"] == true,
            },
            "Update" => OperationKind::Update(item_size(&operation["ExpressionAttributeValues"])),
            _ => OperationKind::Put(item_size(&operation["Item"])),
        };
        Some(ItemOperation {
            table: operation["TableName"].as_str()?.to_owned(),
            attributes: attributes_of(operation),
            kind,
            factor,
        })
    }

    /// Returns the key. `None` if the table does not exist.
    fn key(&self, tables: &Tables) -> Option<Value> {
        tables.key_of(&self.table, &self.attributes)
    }

    fn item_name(&self, key: &Value) -> String {
        format!("{} {key}", self.table)
    }

    /// Returns the cost. `None` if the table does not exist.
    fn cost(&self, tables: &Tables) -> Option<ItemCost> {
        let key = self.key(tables)?;
        let before = item_size(&tables.item(&self.table, &key));
        let units =
            |bytes: usize, bytes_of_unit: usize| bytes.div_ceil(bytes_of_unit).max(1) * self.factor;

        let mut cost = ItemCost {
            half_read_units: 0,
            write_units: 0,
        };
        match self.kind {
            OperationKind::Read { is_consistent } => {
                cost.half_read_units = units(before, READ_BYTES) * (1 + usize::from(is_consistent));
            }
            OperationKind::Put(after) => cost.write_units = units(before.max(after), WRITE_BYTES),
            OperationKind::Update(added) => cost.write_units = units(before + added, WRITE_BYTES),
        }
        Some(cost)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(name: &str, data_bytes: usize) -> Value {
        json!({ "pk": { "S": name }, "data": { "S": "x".repeat(data_bytes) } })
    }

    /// Returns the half read units and the write units of each item. There are the items `small`
    /// and `large`, of 5 KB.
    fn units(operation: &str, request: &Value) -> Vec<(usize, usize)> {
        let items = [item("small", 100), item("large", 5_000)];
        let call = CostedCall {
            tables: Tables::with_records(items.into_iter()),
            operation: operation.to_owned(),
            body: request.to_string().into(),
        };
        call.costs()
            .iter()
            .map(|cost| (cost.half_read_units, cost.write_units))
            .collect()
    }

    fn on(name: &str) -> Value {
        json!({ "TableName": "records", "Key": { "pk": { "S": name } } })
    }

    #[test]
    fn reads_take_units_by_size_and_consistency() {
        let mut consistent = on("small");
        consistent["ConsistentRead"] = json!(true);
        assert_eq!(units("GetItem", &on("small")), [(1, 0)]);
        assert_eq!(units("GetItem", &consistent), [(2, 0)]);

        let gets = ["small", "large", "absent"].map(|name| json!({ "Get": on(name) }));
        let transaction = json!({ "TransactItems": gets });
        let expected = [(4, 0), (8, 0), (4, 0)];
        assert_eq!(units("TransactGetItems", &transaction), expected);

        let keys = ["small", "large"].map(|name| on(name)["Key"].clone());
        let part = json!({ "Keys": keys, "ConsistentRead": true });
        let batch = json!({ "RequestItems": { "records": part } });
        assert_eq!(units("BatchGetItem", &batch), [(2, 0), (4, 0)]);

        // Queries and missing tables cost nothing.
        assert!(units("Query", &json!({ "TableName": "records" })).is_empty());
        let elsewhere = json!({ "TableName": "other", "Key": { "pk": { "S": "a" } } });
        assert!(units("GetItem", &elsewhere).is_empty());
    }

    #[test]
    fn writes_take_units_by_the_larger_size() {
        let put = |name, bytes| json!({ "TableName": "records", "Item": item(name, bytes) });
        assert_eq!(units("PutItem", &put("small", 2_000)), [(0, 2)]);
        assert_eq!(units("PutItem", &put("large", 10)), [(0, 5)]);
        assert_eq!(units("DeleteItem", &on("absent")), [(0, 1)]);

        let mut update = on("small");
        update["ExpressionAttributeValues"] = json!({ ":data": { "S": "x".repeat(1_000) } });
        let transaction = json!({ "TransactItems": [
            { "Put": put("new", 1_500) },
            { "Delete": on("large") },
            { "ConditionCheck": on("absent") },
            { "Update": update },
        ] });
        let expected = [(0, 4), (0, 10), (0, 2), (0, 4)];
        assert_eq!(units("TransactWriteItems", &transaction), expected);

        let writes = json!([{ "PutRequest": put("new", 10) }, { "DeleteRequest": on("large") }]);
        let batch = json!({ "RequestItems": { "records": writes } });
        assert_eq!(units("BatchWriteItem", &batch), [(0, 1), (0, 5)]);
    }
}
