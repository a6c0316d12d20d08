//! Access control: which files can be read without credentials.

mod effective_access;
mod effective_security;
#[cfg(test)]
pub(crate) mod fixtures;
mod protection;

pub use effective_access::{
    AccessSource, EffectiveAccess, access_revision, renditions_require_auth, requires_auth,
};
pub use effective_security::{EffectiveSecurity, EffectiveWatermark, SettingSource};
pub use protection::Protection;
