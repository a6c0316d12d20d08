//! Conflicts between concurrent DynamoDB transactions and writes.
//!
//! Invariant: while a write transaction accesses an item, no other transaction and no write does.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How a call accesses its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    TransactionalRead,
    TransactionalWrite,
    Write,
}

impl AccessKind {
    /// Returns `None` for an operation that never conflicts with a transaction.
    pub(super) fn of(operation: &str) -> Option<AccessKind> {
        match operation {
            "TransactGetItems" => Some(AccessKind::TransactionalRead),
            "TransactWriteItems" => Some(AccessKind::TransactionalWrite),
            "DeleteItem" | "PutItem" | "UpdateItem" => Some(AccessKind::Write),
            _ => None,
        }
    }
}

/// The items that a request accesses.
#[derive(Clone, Debug)]
pub(crate) struct ItemAccess {
    pub(super) kind: AccessKind,
    /// Unique names in the order of the request; `None` for items that never conflict.
    pub(super) items: Vec<Option<String>>,
}

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
    active: Arc<Mutex<ActivityByItem>>,
}

/// By unique item name.
type ActivityByItem = HashMap<String, ItemActivity>;

impl ConflictTracker {
    /// Starts to access items. Fails with the zero-based indexes of the conflicting items.
    pub(super) fn start(&self, access: &ItemAccess) -> Result<AccessGuard, Vec<usize>> {
        let mut active = self.active();
        let conflicts = |name: &String| {
            let activity = active.get(name);
            activity.is_some_and(|activity| activity.conflicts_with(access.kind))
        };
        let items = access.items.iter().enumerate();
        let conflicting: Vec<usize> = items
            .filter(|(_, name)| name.as_ref().is_some_and(conflicts))
            .map(|(index, _)| index)
            .collect();
        if !conflicting.is_empty() {
            return Err(conflicting);
        }

        let items: Vec<String> = access.items.iter().flatten().cloned().collect();
        for name in &items {
            active.entry(name.clone()).or_default().start(access.kind);
        }
        drop(active);

        Ok(AccessGuard {
            tracker: self.clone(),
            kind: access.kind,
            items,
        })
    }

    fn active(&self) -> MutexGuard<'_, ActivityByItem> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut active = self.tracker.active();
        for name in &self.items {
            let Some(activity) = active.get_mut(name) else {
                continue;
            };
            activity.end(self.kind);
            if activity.is_idle() {
                active.remove(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use AccessKind::{TransactionalRead, TransactionalWrite, Write};

    use super::*;

    fn access(kind: AccessKind, items: &[&str]) -> ItemAccess {
        let items = items.iter().map(|name| Some((*name).to_owned()));
        ItemAccess {
            kind,
            items: items.collect(),
        }
    }

    #[test]
    fn concurrent_accesses_to_an_item_conflict_as_on_aws() {
        for (first, second, conflicts) in [
            (TransactionalWrite, TransactionalWrite, true),
            (TransactionalWrite, TransactionalRead, true),
            (TransactionalWrite, Write, true),
            (Write, TransactionalWrite, true),
            (Write, TransactionalRead, true),
            (Write, Write, false),
            (TransactionalRead, TransactionalWrite, false),
            (TransactionalRead, Write, false),
        ] {
            let tracker = ConflictTracker::default();
            let start = |item: &str| tracker.start(&access(second, &["other", item]));

            let guard = tracker.start(&access(first, &["a"])).unwrap();
            assert!(start("b").is_ok(), "{first:?} {second:?}");
            // The index of the conflicting item.
            let conflicting = conflicts.then(|| vec![1]);
            assert_eq!(start("a").err(), conflicting, "{first:?} {second:?}");

            drop(guard);
            assert!(start("a").is_ok(), "{first:?} {second:?}");
            assert!(tracker.active().is_empty(), "ended accesses leave no state");
        }
    }
}
