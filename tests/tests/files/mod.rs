//! `/files`.

pub(crate) mod assigned_fields;
pub(crate) mod batch;
pub(crate) mod delete;
pub(crate) mod ids;
pub(crate) mod list;
pub(crate) mod protection;
pub(crate) mod replace;
pub(crate) mod signed_lists;
pub(crate) mod signed_url;
pub(crate) mod trash;
mod trash_races;
pub(crate) mod update;
pub(crate) mod update_effects;
pub(crate) mod urls;
