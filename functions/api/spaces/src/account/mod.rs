//! `/account` and the account keys under it.

pub(crate) mod get;
pub(crate) mod keys;
pub(crate) mod update;
