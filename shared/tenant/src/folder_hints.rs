//! Where folders were found that are not where files say.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::FolderId;

/// Most folders of which it is remembered where they are.
const HINTS: usize = 10_000;

/// Hints, by which folders that were moved are read at once the next time. They decide nothing: whatever is read by them is
/// linked by each folder's own word.
#[derive(Clone, Debug, Default)]
pub(crate) struct FolderHints(Arc<Mutex<HashMap<FolderId, Vec<FolderId>>>>);

impl FolderHints {
    /// The folders that were last found around one.
    pub(crate) fn above(&self, folder: FolderId) -> Vec<FolderId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&folder).cloned().unwrap_or_default()
    }

    /// Remembers which folders were found around one.
    pub(crate) fn note(&self, folder: FolderId, above: Vec<FolderId>) {
        let mut hints = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hints.len() >= HINTS {
            hints.clear();
        }
        hints.insert(folder, above);
    }
}
