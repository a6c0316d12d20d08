//! Access control: which files can be read without credentials.

mod effective_access;

pub use effective_access::{
    AccessControl, AccessSource, DeliveryType, EffectiveAccess, EffectiveSecurity, Protection,
    access_revision, requires_auth, variants_require_auth,
};
