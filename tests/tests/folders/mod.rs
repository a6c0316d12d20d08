//! `/folders`.

pub(crate) mod access_control;
pub(crate) mod create;
pub(crate) mod create_names;
pub(crate) mod delete;
pub(crate) mod delete_space;
pub(crate) mod depth;
pub(crate) mod list;
pub(crate) mod references;
pub(crate) mod security;
pub(crate) mod update;
