//! Caches that a function instance keeps between requests, to save sequential reads.
//!
//! Invariant: a cached value only selects the records to read. It never decides the outcome of a
//! request.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use domain::id::{FolderId, SpaceId, UploadConfigId};

/// Maximum entries of a cache. A full cache is cleared.
const MAX_ENTRIES: usize = 10_000;

/// Ancestors of folders that files refer to with outdated ancestors.
pub(crate) type AncestorCache = Cache<FolderId, Vec<FolderId>>;

/// Active upload configs by space.
pub(crate) type ActiveConfigCache = Cache<SpaceId, UploadConfigId>;

/// The last known values by key, shared by all clones.
#[derive(Clone, Debug)]
pub(crate) struct Cache<K, V>(Arc<Mutex<HashMap<K, V>>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Cache<K, V> {
        Cache(Arc::default())
    }
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    /// Returns the last known value of a key.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned()
    }

    /// Stores the value of a key.
    pub(crate) fn insert(&self, key: K, value: V) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MAX_ENTRIES {
            entries.clear();
        }
        entries.insert(key, value);
    }
}
