//! What a function remembers between requests, so that the next one reads in fewer trips.
//!
//! Invariant: a hint decides nothing. It only says what to read; what was read says whether the
//! hint was right.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{FolderId, SpaceId, UploadConfigId};

/// Maximum number of keys that are remembered.
const HINTS: usize = 10_000;

/// The folders that were last found around a folder that is not where files say.
pub(crate) type AncestorCache = Hints<FolderId, Vec<FolderId>>;

/// The active upload config that a space was last found with.
pub(crate) type ActiveConfigHints = Hints<SpaceId, UploadConfigId>;

/// Last known values by key, shared by all clones.
#[derive(Clone, Debug)]
pub(crate) struct Hints<K, V>(Arc<Mutex<HashMap<K, V>>>);

impl<K, V> Default for Hints<K, V> {
    fn default() -> Hints<K, V> {
        Hints(Arc::default())
    }
}

impl<K: Eq + Hash, V: Clone> Hints<K, V> {
    /// Returns the value that was last noted for a key.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned()
    }

    /// Remembers the value of a key.
    pub(crate) fn note(&self, key: K, value: V) {
        let mut hints = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hints.len() >= HINTS {
            hints.clear();
        }
        hints.insert(key, value);
    }
}
