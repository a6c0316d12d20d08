//! The emulators through the production clients.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod chaos;
mod copies;
mod faults;
mod listings;
mod multipart;
mod objects;
mod persistence;
mod presigned;
mod proxy;
mod queues;
mod secrets;
mod support;
mod tables;
