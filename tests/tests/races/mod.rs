//! Concurrent requests.

pub(crate) mod folder_purge;
pub(crate) mod library;
pub(crate) mod requests;
