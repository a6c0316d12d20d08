//! `/spaces`, `/spaces/:id/api-keys` and `/account`.

pub(crate) mod create_and_get;
pub(crate) mod delete;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod update;
pub(crate) mod usage;
