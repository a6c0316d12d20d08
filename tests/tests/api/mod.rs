//! The API, a file for each group of routes.

mod access_control;
mod account;
mod api_keys;
mod confirm;
mod deletion;
mod errors;
mod errors_table;
mod files;
mod idempotency;
mod idempotency_crashes;
mod image_rules;
mod images;
mod limits;
mod pages;
mod presign;
mod security;
mod spaces;
mod spaces_list;
mod spaces_update;
mod upload;
mod upload_configs;
mod upload_files;
mod upload_rules;
pub(crate) use deletion::{kept, with_retired};
pub(crate) use presign::{Announced, config, said};
