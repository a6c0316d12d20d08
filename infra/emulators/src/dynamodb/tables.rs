//! Tables as the template describes them.
//!
//! Invariant: a table that exists keeps its items; what can only be had by recreating it is an
//! error.

use std::sync::{Arc, Mutex, PoisonError};

use dynoxide::{Database, DynoxideError};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use template::{AttributeType, Key, Table};

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
        Tables {
            database,
            expiring: Arc::default(),
        }
    }

    /// Creates a table, or gives an existing one the expiry of its description. Blocks.
    pub(crate) fn ensure(&self, table: &Table) -> Result<(), ProvisionError> {
        let failed = |error: DynoxideError| ProvisionError::Table {
            table: table.name.clone(),
            reason: error.to_string(),
        };
        match call(json!({ "TableName": table.name }), |request| {
            self.database.describe_table(request)
        }) {
            Ok(found) => require_same_key(table, &found["Table"])?,
            Err(DynoxideError::ResourceNotFoundException(_)) => {
                call(creation(table), |request| {
                    self.database.create_table(request)
                })
                .map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }
        self.ensure_expiry(table).map_err(failed)
    }

    fn ensure_expiry(&self, table: &Table) -> Result<(), DynoxideError> {
        let found = call(json!({ "TableName": table.name }), |request| {
            self.database.describe_time_to_live(request)
        })?;
        let current = found["TimeToLiveDescription"]["AttributeName"].as_str();
        let wanted = table.time_to_live.as_deref();
        if current != wanted {
            for (attribute, enabled) in [(current, false), (wanted, true)] {
                let Some(attribute) = attribute else { continue };
                let specification = json!({ "AttributeName": attribute, "Enabled": enabled });
                let update =
                    json!({ "TableName": table.name, "TimeToLiveSpecification": specification });
                call(update, |request| self.database.update_time_to_live(request))?;
            }
        }
        let mut expiring = self.expiring.lock().unwrap_or_else(PoisonError::into_inner);
        expiring.retain(|expiring| expiring.table != table.name);
        expiring.extend(Expiring::of(table));
        Ok(())
    }
}

/// Fails if a table that exists has another key than its description.
fn require_same_key(table: &Table, found: &Value) -> Result<(), ProvisionError> {
    if found["KeySchema"] == key_schema(&table.key) && same_types(table, found) {
        return Ok(());
    }
    Err(ProvisionError::TableDiffers {
        table: table.name.clone(),
        what: "key".to_owned(),
    })
}

/// Calls the engine in the shapes of its wire protocol.
pub(super) fn call<Request: DeserializeOwned, Answer: Serialize>(
    request: Value,
    action: impl FnOnce(Request) -> Result<Answer, DynoxideError>,
) -> Result<Value, DynoxideError> {
    let request = serde_json::from_value(request).map_err(unreadable)?;
    serde_json::to_value(action(request)?).map_err(unreadable)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the shape that map_err takes"
)]
fn unreadable(error: serde_json::Error) -> DynoxideError {
    DynoxideError::SerializationException(error.to_string())
}

fn creation(table: &Table) -> Value {
    json!({
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key_schema(&table.key),
        "AttributeDefinitions": attribute_definitions(table),
    })
}

fn key_schema(key: &Key) -> Value {
    let partition = json!({ "AttributeName": key.partition, "KeyType": "HASH" });
    let sort = key
        .sort
        .as_ref()
        .map(|sort| json!({ "AttributeName": sort, "KeyType": "RANGE" }));
    std::iter::once(partition).chain(sort).collect()
}

fn attribute_definitions(table: &Table) -> Value {
    let definition = |(name, kind): (&String, &AttributeType)| json!({ "AttributeName": name, "AttributeType": type_name(*kind) });
    table.attributes.iter().map(definition).collect()
}

fn type_name(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::String => "S",
        AttributeType::Number => "N",
        AttributeType::Binary => "B",
    }
}

/// Whether the attributes of the key have the described types.
fn same_types(table: &Table, found: &Value) -> bool {
    let definitions = found["AttributeDefinitions"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    std::iter::once(&table.key.partition)
        .chain(&table.key.sort)
        .all(|name| {
            let there = definitions
                .iter()
                .find(|there| there["AttributeName"] == *name);
            there.and_then(|there| there["AttributeType"].as_str())
                == table.attributes.get(name).copied().map(type_name)
        })
}
