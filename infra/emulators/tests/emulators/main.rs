//! The emulators through the production clients.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod copies;
mod faults;
mod gate;
mod listings;
mod moods;
mod multipart;
mod objects;
mod persistence;
mod presigned;
mod queues;
mod secrets;
mod support;
mod tables;
