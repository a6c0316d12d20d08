//! `/account` and the account keys under it.

mod get;
mod keys;
mod update;

pub(crate) use get::get;
pub(crate) use keys::{create_key, list_keys, revoke_key};
pub(crate) use update::update;
