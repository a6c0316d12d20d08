//! Generates files from the declarations of the endpoints: the OpenAPI document with its recorded
//! examples, the routes of `not-found`, and the routes of the API in `template.yaml`.
//!
//! `scripts/openapi` writes these files, and a test compares them.

mod api;
mod components;
mod descriptions;
mod document;
mod examples;
mod generated;
mod links;
mod operation;
mod types;

pub use api::{Api, api};
pub use document::document;
pub use generated::{GeneratedFile, generate};
pub use operation::Operation;
