//! `/spaces/:id/api-keys`.

pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod revoke;

/// Path of the keys of a space.
const PATH: &str = "/spaces/{id}/api-keys";
