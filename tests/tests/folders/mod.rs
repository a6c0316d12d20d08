//! `/folders`.

pub(crate) mod access_control;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod delete_with_contents;
pub(crate) mod list;
pub(crate) mod references;
pub(crate) mod security;
pub(crate) mod update;
