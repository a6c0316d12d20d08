//! Generates files from the declarations of the endpoints: the OpenAPI document, the routes of
//! `not-found`, the routes of the API in `template.yaml`, and the API reference in
//! `docs/api.md`.
//!
//! `scripts/openapi` writes these files, and a test compares them.

mod api;
mod document;
mod generated;
mod links;
mod operation;
mod reference;

pub use api::{Api, api};
pub use document::document;
pub use generated::{GeneratedFile, generate};
pub use operation::Operation;
