//! IAM principals, found by their access keys.
//!
//! Invariant: a secret key never leaves the process and is never formatted.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use sam_template::Permission;

/// A caller of the emulators: the role of a function, or the operator.
#[derive(Clone)]
pub struct IamPrincipal {
    /// Name in the call log.
    pub name: String,
    pub access_key: String,
    pub secret_key: String,
    /// Allowed actions. Action `*` on resource `*` allows everything.
    pub permissions: Vec<Permission>,
    /// The role that presigns its URLs, if that is another one.
    pub presigner: Option<Presigner>,
}

/// A role that a principal assumes to presign URLs. It has the same access key: that of a session
/// of the role would expire.
#[derive(Clone)]
pub struct Presigner {
    /// Name in the call log.
    pub name: String,
    pub permissions: Vec<Permission>,
}

impl IamPrincipal {
    /// Returns the principal of a presigned URL that this one signed.
    pub(crate) fn of_presigned_url(&self) -> IamPrincipal {
        let mut principal = self.clone();
        if let Some(Presigner { name, permissions }) = principal.presigner.take() {
            principal.name = name;
            principal.permissions = permissions;
        }
        principal
    }
}

impl fmt::Debug for IamPrincipal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("IamPrincipal")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The registered principals by access key. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct AccessKeys {
    principals: Arc<RwLock<HashMap<String, Arc<IamPrincipal>>>>,
}

impl AccessKeys {
    /// Registers a principal. It replaces a principal with the same access key.
    pub(crate) fn register(&self, principal: IamPrincipal) {
        self.principals
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(principal.access_key.clone(), Arc::new(principal));
    }

    /// Returns the principal with this access key.
    pub(crate) fn principal(&self, access_key: &str) -> Option<Arc<IamPrincipal>> {
        self.principals
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(access_key)
            .cloned()
    }

    /// Returns the secret key that belongs to this access key.
    pub(crate) fn secret(&self, access_key: &str) -> Option<String> {
        let principal = self.principal(access_key)?;
        Some(principal.secret_key.clone())
    }
}
