//! Tests of probing, decoding, encoding, stripping and transforming, also with malformed images.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod colors;
mod files;
mod fuzz;
mod hostile;
mod orientation;
mod probe;
mod render;
mod render_inputs;
mod render_laws;
mod strip;
mod transform;
