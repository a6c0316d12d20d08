//! S3: the s3s protocol layer over a store of our own.
//!
//! Emulates what Larder uses: objects uploaded whole or in parts, copied, read, listed, deleted one
//! by one or in batches, with conditions, ranges, SHA-256 and presigned URLs. All else returns
//! `NotImplemented`. An object has no checksum unless its SHA-256 was declared or requested.
//!
//! Invariant: an object becomes visible in one database transaction, after its bytes are complete
//! in a file that never changes. An aborted request or a killed process leaves the old object or
//! the new one.

mod blob;
mod checksum;
mod complete;
mod condition;
mod copy;
mod cors;
mod declared_body;
mod delete;
mod emulator;
mod error;
mod list_objects;
mod multipart;
mod object_headers;
mod object_rows;
mod operations;
mod presigned;
mod put;
mod range;
mod read;
mod receive;
mod store;
mod upload_rows;

pub(crate) use emulator::S3Emulator;
