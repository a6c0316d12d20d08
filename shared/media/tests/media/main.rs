//! Images made here, probed, stripped and transformed; and what is not quite an image.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod files;
mod hostile;
mod incoming;
mod mutated;
mod orientation;
mod probe;
mod strip;
