//! Removes expired items, some time after their expiry, as DynamoDB does.
//!
//! The sweep of the engine uses the system time. This one uses the injected clock.

use dynoxide::DynoxideError;
use sam_template::TableSpec;
use serde_json::{Value, json};

use super::{engine_call::call, tables::Tables};

/// Items scanned per call. Other requests wait for the duration of a call.
const PAGE_ITEMS: usize = 500;

impl Tables {
    /// Removes the items of all tables that have expired by `now_ms`. Blocks.
    pub(crate) fn remove_expired(&self, now_ms: i64) -> Result<(), DynoxideError> {
        let tables: Vec<TableSpec> = self.specs().values().cloned().collect();
        for table in tables {
            if let Some(attribute) = &table.time_to_live {
                self.remove_expired_from(&table.name, attribute, now_ms / 1000)?;
            }
        }
        Ok(())
    }

    fn remove_expired_from(
        &self,
        table: &str,
        expiry_attribute: &str,
        now_seconds: i64,
    ) -> Result<(), DynoxideError> {
        let mut scan = json!({
            "TableName": table,
            "Limit": PAGE_ITEMS,
            "FilterExpression": "#expiry < :now",
            "ExpressionAttributeNames": { "#expiry": expiry_attribute },
            "ExpressionAttributeValues": { ":now": { "N": now_seconds.to_string() } },
        });

        loop {
            let page = call(scan.clone(), |request| self.database.scan(request))?;
            for item in page["Items"].as_array().into_iter().flatten() {
                self.remove(table, item, &scan)?;
            }
            match page.get("LastEvaluatedKey") {
                Some(last_key) => scan["ExclusiveStartKey"] = last_key.clone(),
                None => return Ok(()),
            }
        }
    }

    /// Removes one item if it still matches the filter of the scan.
    fn remove(&self, table: &str, item: &Value, scan: &Value) -> Result<(), DynoxideError> {
        let delete = json!({
            "TableName": table,
            "Key": self.key_of(table, item),
            "ConditionExpression": scan["FilterExpression"],
            "ExpressionAttributeNames": scan["ExpressionAttributeNames"],
            "ExpressionAttributeValues": scan["ExpressionAttributeValues"],
        });

        match call(delete, |request| self.database.delete_item(request)) {
            // The condition fails if the expiry was extended since the scan.
            Ok(_) | Err(DynoxideError::ConditionalCheckFailedException(..)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweep_removes_only_expired_items() {
        // More than one page, and some items without a number as expiry.
        let numbers = (0..PAGE_ITEMS + 10).map(|number| json!({ "N": number.to_string() }));
        let expiries = numbers.chain([json!({ "S": "1" }), json!({ "NULL": true })]);
        let items = expiries.enumerate().map(|(index, expiry)| {
            json!({ "pk": { "S": index.to_string() }, "expires_at_seconds": expiry })
        });
        let tables = Tables::with_records(items);

        tables.remove_expired(505_999).unwrap();

        let scan = json!({ "TableName": "records" });
        let left = call(scan, |request| tables.database.scan(request)).unwrap();
        assert_eq!(left["Count"], 7);
    }
}
