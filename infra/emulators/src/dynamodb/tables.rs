//! Creates the tables of a template.
//!
//! Invariant: an existing table keeps its items. A change that requires a new table is an error.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use dynoxide::{Database, DynoxideError};
use sam_template::{AttributeType, PrimaryKey, TableSpec};
use serde_json::{Map, Value, json};

use super::engine_call::call;
use crate::error::ProvisionError;

/// The tables of the engine. Clones share them.
#[derive(Clone)]
pub(crate) struct Tables {
    pub(super) database: Database,
    specs: Arc<Mutex<HashMap<String, TableSpec>>>,
}

impl Tables {
    pub(crate) fn new(database: Database) -> Tables {
        Tables {
            database,
            specs: Arc::default(),
        }
    }

    /// Creates a table, or sets the time to live of an existing one. Blocks.
    pub(crate) fn ensure(&self, table: &TableSpec) -> Result<(), ProvisionError> {
        let failed = |error: DynoxideError| ProvisionError::Table {
            table: table.name.clone(),
            reason: error.to_string(),
        };

        let describe = json!({ "TableName": table.name });
        match call(describe, |request| self.database.describe_table(request)) {
            Ok(found) => require_same_key(table, &found["Table"])?,
            Err(DynoxideError::ResourceNotFoundException(_)) => {
                let create = create_request(table);
                call(create, |request| self.database.create_table(request)).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }

        self.ensure_time_to_live(table).map_err(failed)?;
        self.specs().insert(table.name.clone(), table.clone());
        Ok(())
    }

    pub(super) fn specs(&self) -> MutexGuard<'_, HashMap<String, TableSpec>> {
        self.specs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the key among the attributes of an item. `None` if the table does not exist.
    pub(super) fn key_of(&self, table: &str, attributes: &Value) -> Option<Value> {
        let specs = self.specs();
        let schema = &specs.get(table)?.key;
        let key: Map<String, Value> = std::iter::once(&schema.partition)
            .chain(&schema.sort)
            .map(|name| (name.clone(), attributes[name].clone()))
            .collect();
        Some(Value::Object(key))
    }

    /// Returns the item with a key; null if there is none. Blocks.
    pub(super) fn item(&self, table: &str, key: &Value) -> Value {
        let get = json!({ "TableName": table, "Key": key });
        let found = call(get, |request| self.database.get_item(request));
        // The engine itself reports an invalid key when it receives the request.
        found.map_or(Value::Null, |mut found| found["Item"].take())
    }

    fn ensure_time_to_live(&self, table: &TableSpec) -> Result<(), DynoxideError> {
        let describe = json!({ "TableName": table.name });
        let found = call(describe, |request| {
            self.database.describe_time_to_live(request)
        })?;

        let current = found["TimeToLiveDescription"]["AttributeName"].as_str();
        let required = table.time_to_live.as_deref();
        if current != required {
            if let Some(attribute) = current {
                self.set_time_to_live(table, attribute, false)?;
            }
            if let Some(attribute) = required {
                self.set_time_to_live(table, attribute, true)?;
            }
        }
        Ok(())
    }

    fn set_time_to_live(
        &self,
        table: &TableSpec,
        attribute: &str,
        enabled: bool,
    ) -> Result<(), DynoxideError> {
        let specification = json!({ "AttributeName": attribute, "Enabled": enabled });
        let update = json!({ "TableName": table.name, "TimeToLiveSpecification": specification });
        call(update, |request| self.database.update_time_to_live(request))?;
        Ok(())
    }
}

/// Fails if the key of an existing table differs from the template.
fn require_same_key(table: &TableSpec, found: &Value) -> Result<(), ProvisionError> {
    if found["KeySchema"] == key_schema(&table.key) && has_same_key_types(table, found) {
        return Ok(());
    }
    Err(ProvisionError::TableKeyDiffers {
        table: table.name.clone(),
    })
}

/// Returns whether the key attributes have the types of the template.
fn has_same_key_types(table: &TableSpec, found: &Value) -> bool {
    let definitions = found["AttributeDefinitions"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let found_type = |name: &String| {
        definitions
            .iter()
            .find(|definition| definition["AttributeName"] == *name)
            .and_then(|definition| definition["AttributeType"].as_str())
    };

    std::iter::once(&table.key.partition)
        .chain(&table.key.sort)
        .all(|name| found_type(name) == table.attributes.get(name).copied().map(type_name))
}

fn create_request(table: &TableSpec) -> Value {
    json!({
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key_schema(&table.key),
        "AttributeDefinitions": attribute_definitions(table),
    })
}

fn key_schema(key: &PrimaryKey) -> Value {
    let partition = json!({ "AttributeName": key.partition, "KeyType": "HASH" });
    let sort = key
        .sort
        .as_ref()
        .map(|sort| json!({ "AttributeName": sort, "KeyType": "RANGE" }));
    std::iter::once(partition).chain(sort).collect()
}

fn attribute_definitions(table: &TableSpec) -> Value {
    table
        .attributes
        .iter()
        .map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": type_name(*kind) }))
        .collect()
}

fn type_name(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::String => "S",
        AttributeType::Number => "N",
        AttributeType::Binary => "B",
    }
}

#[cfg(test)]
impl Tables {
    /// Creates a table `records` in memory, whose key is `pk`, with these items.
    pub(super) fn with_records(items: impl Iterator<Item = Value>) -> Tables {
        let tables = Tables::new(Database::memory().expect("a database"));
        let records = TableSpec {
            logical_id: "Table".to_owned(),
            name: "records".to_owned(),
            key: PrimaryKey {
                partition: "pk".to_owned(),
                sort: None,
            },
            attributes: [("pk".to_owned(), AttributeType::String)].into(),
            time_to_live: Some("expires_at_seconds".to_owned()),
        };
        tables.ensure(&records).expect("a table");

        for item in items {
            let put = json!({ "TableName": "records", "Item": item });
            let written = call(put, |request| tables.database.put_item(request));
            written.expect("an item");
        }
        tables
    }
}
