//! The domain model: identifiers, names, stored records, access control and signed URLs.
//!
//! Invariants:
//! - No async code, no AWS types, no HTTP types.
//! - Nothing here reads the system clock or the system's random source: callers pass an
//!   [`Env`](env::Env).
//! - A module imports only from those above it.

pub mod env;
pub mod id;

pub mod errors;
pub mod naming;
pub mod settings;
pub mod signing;

pub mod renditions;

pub mod keys;
pub mod requests;
pub mod spaces;

pub mod folders;
pub mod uploads;

pub mod files;

pub mod webhooks;

pub mod access;
