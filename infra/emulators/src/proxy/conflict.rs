//! Transactions and writes that meet on an item.
//!
//! Invariant: while a transaction is at work on an item, no other transaction and no write is.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use template::{Key, Table};

use crate::arn;

/// What a call does to items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `TransactGetItems`.
    TransactionalRead,
    /// `TransactWriteItems`.
    Transaction,
    /// `PutItem`, `UpdateItem`, `DeleteItem`.
    Write,
}

/// A call's work, as its request has it.
#[derive(Clone, Debug)]
pub(crate) struct ItemAccess {
    pub(super) kind: Kind,
    /// Of each item its table, and its key, be there more attributes or not.
    items: Vec<(String, Value)>,
}

impl ItemAccess {
    /// Reads a request; none where transactions have nothing to fear of it.
    pub(super) fn read(operation: &str, body: &[u8]) -> Option<ItemAccess> {
        let kind = match operation {
            "TransactGetItems" => Kind::TransactionalRead,
            "TransactWriteItems" => Kind::Transaction,
            "DeleteItem" | "PutItem" | "UpdateItem" => Kind::Write,
            _ => return None,
        };
        let mut body: Value = serde_json::from_slice(body).ok()?;
        let members = match kind {
            Kind::Write => vec![body],
            Kind::Transaction | Kind::TransactionalRead => {
                let members = body.get_mut("TransactItems")?.as_array_mut()?.drain(..);
                members
                    .filter_map(|member| member.as_object()?.values().next().cloned())
                    .collect()
            }
        };
        Some(ItemAccess {
            kind,
            items: members.into_iter().filter_map(item).collect(),
        })
    }
}

fn item(mut member: Value) -> Option<(String, Value)> {
    let table = arn::table(member.get("TableName")?.as_str()?);
    let key = member.get_mut("Key").map(Value::take);
    Some((
        table,
        key.or_else(|| member.get_mut("Item").map(Value::take))?,
    ))
}

/// Who is at work on an item.
#[derive(Clone, Copy, Debug, Default)]
struct ItemActivity {
    transactions: u32,
    writes: u32,
}

impl ItemActivity {
    fn conflicts_with(self, kind: Kind) -> bool {
        self.transactions > 0 || (kind != Kind::Write && self.writes > 0)
    }

    fn count(&mut self, kind: Kind) -> Option<&mut u32> {
        match kind {
            Kind::TransactionalRead => None,
            Kind::Transaction => Some(&mut self.transactions),
            Kind::Write => Some(&mut self.writes),
        }
    }
}

/// The items that are being worked on. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConflictTracker {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// The tables' keys, by ARN.
    keys: HashMap<String, Key>,
    /// By table and key.
    items: HashMap<String, ItemActivity>,
}

impl State {
    /// A text that no other item has.
    fn name(&self, (table, attributes): &(String, Value)) -> Option<String> {
        let key = self.keys.get(table)?;
        let sort = key.sort.as_ref().map(|sort| &attributes[sort]);
        Some(format!(
            "{table} {} {}",
            attributes[&key.partition],
            sort.unwrap_or(&Value::Null)
        ))
    }
}

impl ConflictTracker {
    /// Learns of these tables' keys; the items of others never meet.
    pub(crate) fn know(&self, tables: &[Table]) {
        self.state().keys.extend(
            tables
                .iter()
                .map(|table| (arn::table(&table.name), table.key.clone())),
        );
    }

    /// Begins work, or says which of its items, counted from 0, others are at work on.
    pub(super) fn begin(&self, work: &ItemAccess) -> Result<AccessGuard, Vec<usize>> {
        let mut state = self.state();
        let items: Vec<_> = work.items.iter().map(|item| state.name(item)).collect();
        let is_taken = |name: &String| {
            state
                .items
                .get(name)
                .is_some_and(|at_work| at_work.conflicts_with(work.kind))
        };
        let taken = items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.as_ref().is_some_and(is_taken));
        let taken: Vec<usize> = taken.map(|(index, _)| index).collect();
        if !taken.is_empty() {
            return Err(taken);
        }
        let items: Vec<String> = items.into_iter().flatten().collect();
        for name in &items {
            let at_work = state.items.entry(name.clone()).or_default();
            at_work
                .count(work.kind)
                .into_iter()
                .for_each(|count| *count += 1);
        }
        drop(state);
        Ok(AccessGuard {
            conflicts: self.clone(),
            kind: work.kind,
            items,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registration of an access, until it is dropped.
#[derive(Debug)]
pub(super) struct AccessGuard {
    conflicts: ConflictTracker,
    kind: Kind,
    items: Vec<String>,
}

impl Drop for AccessGuard {
    fn drop(&mut self) {
        let mut state = self.conflicts.state();
        for name in &self.items {
            let Some(at_work) = state.items.get_mut(name) else {
                continue;
            };
            at_work
                .count(self.kind)
                .into_iter()
                .for_each(|count| *count -= 1);
            if at_work.transactions == 0 && at_work.writes == 0 {
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

    fn conflicts() -> ConflictTracker {
        let conflicts = ConflictTracker::default();
        conflicts.know(&[Table {
            logical_id: "Table".to_owned(),
            name: "t".to_owned(),
            key: Key {
                partition: "pk".to_owned(),
                sort: None,
            },
            attributes: BTreeMap::new(),
            time_to_live: None,
        }]);
        conflicts
    }

    fn work(operation: &str, keys: &[&str]) -> ItemAccess {
        let key = |key: &&str| json!({ "pk": { "S": key } });
        let put = |name: &&str| json!({ "Put": { "TableName": "t", "Item": { "pk": { "S": name }, "more": {} } } });
        let body = match operation {
            "TransactWriteItems" => {
                json!({ "TransactItems": keys.iter().map(put).collect::<Vec<_>>() })
            }
            "TransactGetItems" => {
                let get = |name: &&str| json!({ "Get": { "TableName": arn::table("t"), "Key": key(name) } });
                json!({ "TransactItems": keys.iter().map(get).collect::<Vec<_>>() })
            }
            _ => json!({ "TableName": "t", "Key": key(&keys[0]) }),
        };
        ItemAccess::read(operation, body.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn who_meets_whom_conflicts_as_on_aws() {
        let (transaction, read, write) = ("TransactWriteItems", "TransactGetItems", "UpdateItem");
        for (first, second, conflict) in [
            (transaction, transaction, true),
            (transaction, read, true),
            (transaction, write, true),
            (write, transaction, true),
            (write, read, true),
            (write, write, false),
            (read, transaction, false),
            (read, write, false),
        ] {
            let conflicts = conflicts();
            let at_work = conflicts.begin(&work(first, &["a"])).unwrap();
            assert!(
                conflicts.begin(&work(second, &["b"])).is_ok(),
                "{first} {second}"
            );
            assert_eq!(
                conflicts.begin(&work(second, &["a"])).is_err(),
                conflict,
                "{first} {second}"
            );
            drop(at_work);
            assert!(
                conflicts.begin(&work(second, &["a"])).is_ok(),
                "{first} {second}"
            );
        }
    }

    #[test]
    fn the_members_that_conflict_are_named() {
        let conflicts = conflicts();
        let _first = conflicts
            .begin(&work("TransactWriteItems", &["b", "d"]))
            .unwrap();
        let second = conflicts.begin(&work("TransactWriteItems", &["a", "b", "c", "d"]));
        assert_eq!(second.unwrap_err(), [1, 3]);
        assert!(ItemAccess::read("GetItem", b"{}").is_none());
    }

    #[test]
    fn nothing_is_kept_of_work_that_is_done() {
        let conflicts = conflicts();
        // The same item twice is DynamoDB's to refuse.
        drop(conflicts.begin(&work("TransactWriteItems", &["a", "a"])));
        drop(conflicts.begin(&work("TransactGetItems", &["a"])));
        assert!(conflicts.state().items.is_empty());
    }
}
