//! `/spaces` and `/spaces/:id`.

mod access_control;
mod create;
mod delete;
mod get;
mod list;
mod security;
mod signing_secret;
mod update;

pub(crate) use access_control::{reset_access_control, set_access_control};
pub(crate) use create::create;
pub(crate) use delete::delete;
pub(crate) use get::get;
pub(crate) use list::list;
pub(crate) use security::{reset_security, set_security};
pub(crate) use signing_secret::{get_signing_secret, rotate_signing_secret};
pub(crate) use update::update;
