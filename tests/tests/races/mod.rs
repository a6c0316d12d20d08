//! Concurrent requests.

pub(crate) mod library;
pub(crate) mod requests;
