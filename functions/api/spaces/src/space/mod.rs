//! `/spaces` and `/spaces/:id`.

pub(crate) mod access_control;
pub(crate) mod cdn_domains;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod security;
pub(crate) mod signing_secret;
pub(crate) mod update;
pub(crate) mod usage;
