//! Tables as the template describes them.
//!
//! Invariant: a table that exists keeps its items; what can only be had by recreating it is an error.

use std::sync::{Arc, Mutex, PoisonError};

use dynoxide::{Database, DynoxideError};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use template::{AttributeType, Index, Key, Projection, Table};

use super::expiry::Expiring;
use crate::error::ProvisionError;

/// Creates tables, and knows which of them have items that expire.
#[derive(Clone)]
pub(crate) struct Tables {
    pub(super) database: Database,
    pub(super) expiring: Arc<Mutex<Vec<Expiring>>>,
}

impl Tables {
    pub(crate) fn new(database: Database) -> Tables {
        Tables { database, expiring: Arc::default() }
    }

    /// Creates a table, or gives an existing one the indexes and the expiry of its description. Blocks.
    pub(crate) fn ensure(&self, table: &Table) -> Result<(), ProvisionError> {
        let failed =
            |error: DynoxideError| ProvisionError::Table { table: table.name.clone(), reason: error.to_string() };
        match call(json!({ "TableName": table.name }), |request| self.database.describe_table(request)) {
            Ok(found) => self.adapt(table, &found["Table"])?,
            Err(DynoxideError::ResourceNotFoundException(_)) => {
                call(creation(table), |request| self.database.create_table(request)).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }
        self.ensure_expiry(table).map_err(failed)
    }

    /// Gives a table that exists the indexes of its description.
    fn adapt(&self, table: &Table, found: &Value) -> Result<(), ProvisionError> {
        let differs = |what: String| ProvisionError::TableDiffers { table: table.name.clone(), what };
        if found["KeySchema"] != key_schema(&table.key) || !same_types(table, &table.key, found) {
            return Err(differs("key".to_owned()));
        }
        let no_indexes = Vec::new();
        let found_indexes = found["GlobalSecondaryIndexes"].as_array().unwrap_or(&no_indexes);
        let mut changes = Vec::new();
        for index in &table.indexes {
            let Some(there) = found_indexes.iter().find(|there| there["IndexName"] == index.name) else {
                changes.push(json!({ "Create": index_schema(index) }));
                continue;
            };
            let same_key = there["KeySchema"] == key_schema(&index.key) && same_types(table, &index.key, found);
            if !same_key || !same_projection(&there["Projection"], &index.projection) {
                return Err(differs(format!("index {}", index.name)));
            }
        }
        for there in found_indexes {
            if !table.indexes.iter().any(|index| there["IndexName"] == index.name) {
                changes.push(json!({ "Delete": { "IndexName": there["IndexName"] } }));
            }
        }
        // One at a time: DynamoDB takes no more.
        for change in changes {
            let update = json!({
                "TableName": table.name,
                "AttributeDefinitions": attribute_definitions(table),
                "GlobalSecondaryIndexUpdates": [change],
            });
            call(update, |request| self.database.update_table(request))
                .map_err(|error| ProvisionError::Table { table: table.name.clone(), reason: error.to_string() })?;
        }
        Ok(())
    }

    fn ensure_expiry(&self, table: &Table) -> Result<(), DynoxideError> {
        let found = call(json!({ "TableName": table.name }), |request| self.database.describe_time_to_live(request))?;
        let current = found["TimeToLiveDescription"]["AttributeName"].as_str();
        let wanted = table.time_to_live.as_deref();
        if current != wanted {
            for (attribute, enabled) in [(current, false), (wanted, true)] {
                let Some(attribute) = attribute else { continue };
                let specification = json!({ "AttributeName": attribute, "Enabled": enabled });
                let update = json!({ "TableName": table.name, "TimeToLiveSpecification": specification });
                call(update, |request| self.database.update_time_to_live(request))?;
            }
        }
        let mut expiring = self.expiring.lock().unwrap_or_else(PoisonError::into_inner);
        expiring.retain(|expiring| expiring.table != table.name);
        expiring.extend(Expiring::of(table));
        Ok(())
    }
}

/// Calls the engine in the shapes of its wire protocol.
pub(super) fn call<Request: DeserializeOwned, Answer: Serialize>(
    request: Value,
    action: impl FnOnce(Request) -> Result<Answer, DynoxideError>,
) -> Result<Value, DynoxideError> {
    let request = serde_json::from_value(request).map_err(unreadable)?;
    serde_json::to_value(action(request)?).map_err(unreadable)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err takes")]
fn unreadable(error: serde_json::Error) -> DynoxideError {
    DynoxideError::SerializationException(error.to_string())
}

fn creation(table: &Table) -> Value {
    let mut creation = json!({
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key_schema(&table.key),
        "AttributeDefinitions": attribute_definitions(table),
    });
    if !table.indexes.is_empty() {
        creation["GlobalSecondaryIndexes"] = table.indexes.iter().map(index_schema).collect();
    }
    creation
}

fn key_schema(key: &Key) -> Value {
    let partition = json!({ "AttributeName": key.partition, "KeyType": "HASH" });
    let sort = key.sort.as_ref().map(|sort| json!({ "AttributeName": sort, "KeyType": "RANGE" }));
    std::iter::once(partition).chain(sort).collect()
}

fn index_schema(index: &Index) -> Value {
    let projection = match &index.projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::KeysOnly => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Include(attributes) => json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": attributes }),
    };
    json!({ "IndexName": index.name, "KeySchema": key_schema(&index.key), "Projection": projection })
}

fn attribute_definitions(table: &Table) -> Value {
    let definition =
        |(name, kind): (&String, &AttributeType)| json!({ "AttributeName": name, "AttributeType": type_name(*kind) });
    table.attributes.iter().map(definition).collect()
}

fn type_name(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::String => "S",
        AttributeType::Number => "N",
        AttributeType::Binary => "B",
    }
}

/// Whether the attributes of a key have the described types.
fn same_types(table: &Table, key: &Key, found: &Value) -> bool {
    let definitions = found["AttributeDefinitions"].as_array().map(Vec::as_slice).unwrap_or_default();
    std::iter::once(&key.partition).chain(&key.sort).all(|name| {
        let there = definitions.iter().find(|there| there["AttributeName"] == *name);
        there.and_then(|there| there["AttributeType"].as_str()) == table.attributes.get(name).copied().map(type_name)
    })
}

fn same_projection(found: &Value, wanted: &Projection) -> bool {
    let mut carried: Vec<&str> =
        found["NonKeyAttributes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    carried.sort_unstable();
    match wanted {
        Projection::All => found["ProjectionType"] == "ALL",
        Projection::KeysOnly => found["ProjectionType"] == "KEYS_ONLY",
        Projection::Include(attributes) => {
            let mut attributes: Vec<&str> = attributes.iter().map(String::as_str).collect();
            attributes.sort_unstable();
            found["ProjectionType"] == "INCLUDE" && carried == attributes
        }
    }
}
