//! The API, a file for each group of routes.

mod api_keys;
mod errors;
mod files;
mod spaces;
mod upload;
mod upload_configs;
