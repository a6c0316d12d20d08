//! Tests of the emulators with the AWS SDK clients.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod chaos;
mod clock;
mod copies;
mod fair_queues;
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
