//! Removes items past their expiry, a while after it, as DynamoDB does.
//!
//! The engine has a sweep of its own, which goes by the system's time; this one goes by the
//! injected clock.

use std::sync::PoisonError;

use dynoxide::DynoxideError;
use serde_json::{Map, Value, json};
use template::Table;

use super::tables::{Tables, call};

/// Items looked at in one go: other requests wait that long.
const PAGE_ITEMS: usize = 500;

/// A table whose items expire.
#[derive(Clone, Debug)]
pub(super) struct Expiring {
    pub(super) table: String,
    /// Attributes of the table's key.
    key: Vec<String>,
    /// The attribute that holds the expiry in unix seconds.
    attribute: String,
}

impl Expiring {
    /// None where the table's items do not expire.
    pub(super) fn of(table: &Table) -> Option<Expiring> {
        let key = std::iter::once(&table.key.partition)
            .chain(&table.key.sort)
            .cloned()
            .collect();
        Some(Expiring {
            table: table.name.clone(),
            key,
            attribute: table.time_to_live.clone()?,
        })
    }
}

impl Tables {
    /// Removes the items of all tables that have expired by `now_ms`. Blocks.
    pub(crate) fn remove_expired(&self, now_ms: i64) -> Result<(), DynoxideError> {
        let tables = self
            .expiring
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        tables
            .iter()
            .try_for_each(|expiring| self.remove_expired_of(expiring, now_ms / 1000))
    }

    fn remove_expired_of(
        &self,
        expiring: &Expiring,
        now_seconds: i64,
    ) -> Result<(), DynoxideError> {
        let mut page = json!({
            "TableName": expiring.table,
            "Limit": PAGE_ITEMS,
            "FilterExpression": "#expiry < :now",
            "ExpressionAttributeNames": { "#expiry": expiring.attribute },
            "ExpressionAttributeValues": { ":now": { "N": now_seconds.to_string() } },
        });
        loop {
            let found = call(page.clone(), |request| self.database.scan(request))?;
            for item in found["Items"].as_array().into_iter().flatten() {
                self.remove(expiring, item, &page)?;
            }
            match found.get("LastEvaluatedKey") {
                Some(last) => page["ExclusiveStartKey"] = last.clone(),
                None => return Ok(()),
            }
        }
    }

    /// Removes one item, if it is still expired.
    fn remove(&self, expiring: &Expiring, item: &Value, page: &Value) -> Result<(), DynoxideError> {
        let key: Map<String, Value> = expiring
            .key
            .iter()
            .map(|name| (name.clone(), item[name].clone()))
            .collect();
        let removal = json!({
            "TableName": expiring.table,
            "Key": key,
            "ConditionExpression": page["FilterExpression"],
            "ExpressionAttributeNames": page["ExpressionAttributeNames"],
            "ExpressionAttributeValues": page["ExpressionAttributeValues"],
        });
        match call(removal, |request| self.database.delete_item(request)) {
            // It was renewed meanwhile.
            Ok(_) | Err(DynoxideError::ConditionalCheckFailedException(..)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use dynoxide::Database;
    use template::{AttributeType, Key};

    use super::*;

    #[test]
    fn only_what_has_expired_goes() {
        let tables = Tables::new(Database::memory().unwrap());
        let table = Table {
            logical_id: "Table".to_owned(),
            name: "records".to_owned(),
            key: Key {
                partition: "pk".to_owned(),
                sort: None,
            },
            attributes: [("pk".to_owned(), AttributeType::String)].into(),
            time_to_live: Some("expires_at_seconds".to_owned()),
        };
        tables.ensure(&table).unwrap();
        // More than one page of them, and some that say no time at all.
        let expiries = (0..PAGE_ITEMS + 10).map(|number| json!({ "N": number.to_string() }));
        for (number, expiry) in expiries
            .chain([json!({ "S": "1" }), json!({ "NULL": true })])
            .enumerate()
        {
            let item = json!({ "pk": { "S": number.to_string() }, "expires_at_seconds": expiry });
            call(json!({ "TableName": "records", "Item": item }), |request| {
                tables.database.put_item(request)
            })
            .unwrap();
        }
        tables.remove_expired(505_999).unwrap();
        let left = call(json!({ "TableName": "records" }), |request| {
            tables.database.scan(request)
        })
        .unwrap();
        assert_eq!(left["Count"], 7);
    }
}
