//! Who may call: principals, by their access keys.
//!
//! Invariant: a secret never leaves the process, and is never formatted.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use template::Permission;

/// Someone who calls the emulators: a function's role, or the operator.
#[derive(Clone)]
pub struct Principal {
    /// What it is called on the wire log.
    pub name: String,
    /// Public half of its key.
    pub access_key: String,
    /// Secret half of its key.
    pub secret_key: String,
    /// What it may do; an action of `*` on a resource of `*` is everything.
    pub permissions: Vec<Permission>,
}

impl fmt::Debug for Principal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Principal")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Those who were admitted. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    admitted: Arc<RwLock<HashMap<String, Arc<Principal>>>>,
}

impl Keys {
    /// Lets a principal in; one that held the same access key before is replaced.
    pub(crate) fn admit(&self, principal: Principal) {
        let mut admitted = self
            .admitted
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        admitted.insert(principal.access_key.clone(), Arc::new(principal));
    }

    /// Who holds this access key.
    pub(crate) fn principal(&self, access_key: &str) -> Option<Arc<Principal>> {
        self.admitted
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(access_key)
            .cloned()
    }

    /// The secret that belongs to this access key.
    pub(crate) fn secret(&self, access_key: &str) -> Option<String> {
        Some(self.principal(access_key)?.secret_key.clone())
    }
}
