//! Conflicts between concurrent DynamoDB transactions and writes.
//!
//! Invariant: while a write transaction accesses an item, no other transaction and no write does.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use sam_template::{PrimaryKey, TableSpec};
use serde_json::Value;

use super::item_access::{AccessKind, AccessedItem, ItemAccess};
use crate::arn;

/// Number of running calls that access an item.
#[derive(Clone, Copy, Debug, Default)]
struct ItemActivity {
    transactions: u32,
    writes: u32,
}

impl ItemActivity {
    fn conflicts_with(self, kind: AccessKind) -> bool {
        self.transactions > 0 || (kind != AccessKind::Write && self.writes > 0)
    }

    fn is_idle(self) -> bool {
        self.transactions == 0 && self.writes == 0
    }

    fn start(&mut self, kind: AccessKind) {
        match kind {
            AccessKind::TransactionalRead => {}
            AccessKind::TransactionalWrite => self.transactions += 1,
            AccessKind::Write => self.writes += 1,
        }
    }

    fn end(&mut self, kind: AccessKind) {
        match kind {
            AccessKind::TransactionalRead => {}
            AccessKind::TransactionalWrite => self.transactions -= 1,
            AccessKind::Write => self.writes -= 1,
        }
    }
}

/// The items that running calls access. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConflictTracker {
    state: Arc<Mutex<ConflictState>>,
}

#[derive(Debug, Default)]
struct ConflictState {
    /// Key schemas by table ARN.
    schemas: HashMap<String, PrimaryKey>,
    /// By unique item name.
    items: HashMap<String, ItemActivity>,
}

impl ConflictState {
    /// Returns a name that no other item has. `None` for an unregistered table.
    fn name(&self, item: &AccessedItem) -> Option<String> {
        let schema = self.schemas.get(&item.table_arn)?;
        let partition = &item.attributes[&schema.partition];
        let sort = match &schema.sort {
            Some(name) => &item.attributes[name],
            None => &Value::Null,
        };
        Some(format!("{} {partition} {sort}", item.table_arn))
    }

    fn conflicts(&self, name: &str, kind: AccessKind) -> bool {
        self.items
            .get(name)
            .is_some_and(|activity| activity.conflicts_with(kind))
    }
}

impl ConflictTracker {
    /// Registers the key schemas of tables. Items of other tables never conflict.
    pub(crate) fn register_tables(&self, tables: &[TableSpec]) {
        let schemas = tables
            .iter()
            .map(|table| (arn::table(&table.name), table.key.clone()));
        self.state().schemas.extend(schemas);
    }

    /// Starts to access items. Fails with the zero-based indexes of the conflicting items.
    pub(super) fn start(&self, access: &ItemAccess) -> Result<AccessGuard, Vec<usize>> {
        let mut state = self.state();
        let names: Vec<_> = access.items.iter().map(|item| state.name(item)).collect();

        let mut conflicting = Vec::new();
        for (index, name) in names.iter().enumerate() {
            if let Some(name) = name
                && state.conflicts(name, access.kind)
            {
                conflicting.push(index);
            }
        }

        if !conflicting.is_empty() {
            return Err(conflicting);
        }

        let items: Vec<String> = names.into_iter().flatten().collect();
        for name in &items {
            let activity = state.items.entry(name.clone()).or_default();
            activity.start(access.kind);
        }
        drop(state);

        Ok(AccessGuard {
            tracker: self.clone(),
            kind: access.kind,
            items,
        })
    }

    fn state(&self) -> MutexGuard<'_, ConflictState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running access to items, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct AccessGuard {
    tracker: ConflictTracker,
    kind: AccessKind,
    items: Vec<String>,
}

impl Drop for AccessGuard {
    fn drop(&mut self) {
        let mut state = self.tracker.state();
        for name in &self.items {
            let Some(activity) = state.items.get_mut(name) else {
                continue;
            };
            activity.end(self.kind);
            if activity.is_idle() {
                state.items.remove(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    const TRANSACTION: &str = "TransactWriteItems";
    const TRANSACTIONAL_READ: &str = "TransactGetItems";
    const WRITE: &str = "UpdateItem";

    fn tracker() -> ConflictTracker {
        let tracker = ConflictTracker::default();
        tracker.register_tables(&[TableSpec {
            logical_id: "Table".to_owned(),
            name: "t".to_owned(),
            key: PrimaryKey {
                partition: "pk".to_owned(),
                sort: None,
            },
            attributes: BTreeMap::new(),
            time_to_live: None,
        }]);
        tracker
    }

    fn access(operation: &str, keys: &[&str]) -> ItemAccess {
        let key = |value: &str| json!({ "pk": { "S": value } });
        let put = |value: &&str| {
            let item = json!({ "pk": { "S": value }, "more": {} });
            json!({ "Put": { "TableName": "t", "Item": item } })
        };
        let get =
            |value: &&str| json!({ "Get": { "TableName": arn::table("t"), "Key": key(value) } });

        let body = match operation {
            TRANSACTION => json!({ "TransactItems": keys.iter().map(put).collect::<Vec<_>>() }),
            TRANSACTIONAL_READ => {
                json!({ "TransactItems": keys.iter().map(get).collect::<Vec<_>>() })
            }
            _ => json!({ "TableName": "t", "Key": key(keys[0]) }),
        };

        ItemAccess::parse(operation, body.to_string().as_bytes()).unwrap()
    }

    /// Returns whether `second` conflicts with `first` while both access the same item. Asserts
    /// that it does not conflict on another item, or after `first` ended.
    #[track_caller]
    fn conflicts(first: &str, second: &str) -> bool {
        let tracker = tracker();
        let starts = |key: &str| tracker.start(&access(second, &[key])).is_ok();

        let guard = tracker.start(&access(first, &["a"])).unwrap();
        assert!(starts("b"), "{first} {second}");
        let is_conflict = !starts("a");

        drop(guard);
        assert!(starts("a"), "{first} {second}");

        is_conflict
    }

    #[test]
    fn concurrent_accesses_to_an_item_conflict_as_on_aws() {
        assert!(conflicts(TRANSACTION, TRANSACTION));
        assert!(conflicts(TRANSACTION, TRANSACTIONAL_READ));
        assert!(conflicts(TRANSACTION, WRITE));
        assert!(conflicts(WRITE, TRANSACTION));
        assert!(conflicts(WRITE, TRANSACTIONAL_READ));

        assert!(!conflicts(WRITE, WRITE));
        assert!(!conflicts(TRANSACTIONAL_READ, TRANSACTION));
        assert!(!conflicts(TRANSACTIONAL_READ, WRITE));
    }

    #[test]
    fn conflict_names_the_indexes_of_the_conflicting_items() {
        let tracker = tracker();
        let _first = tracker.start(&access(TRANSACTION, &["b", "d"])).unwrap();
        let second = tracker.start(&access(TRANSACTION, &["a", "b", "c", "d"]));
        assert_eq!(second.unwrap_err(), [1, 3]);
    }

    #[test]
    fn single_read_has_no_access_to_track() {
        assert!(ItemAccess::parse("GetItem", b"{}").is_none());
    }

    #[test]
    fn ended_access_leaves_no_state() {
        let tracker = tracker();
        // DynamoDB itself rejects a transaction that names an item twice.
        drop(tracker.start(&access(TRANSACTION, &["a", "a"])));
        drop(tracker.start(&access(TRANSACTIONAL_READ, &["a"])));
        assert!(tracker.state().items.is_empty());
    }
}
