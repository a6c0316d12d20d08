//! Placeholder.
mod model;
pub use model::*;
