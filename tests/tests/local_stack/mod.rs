//! The local stack as a program: persistence, start-up errors, and external clients.

pub(crate) mod browser;
pub(crate) mod clients;
pub(crate) mod full_disk;
pub(crate) mod guides;
pub(crate) mod harness;
pub(crate) mod panics;
pub(crate) mod persistence;
pub(crate) mod program;
pub(crate) mod readme;
pub(crate) mod shutdown;
pub(crate) mod smoke;
