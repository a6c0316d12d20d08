//! Helpers that several suites share.

pub(crate) mod external_programs;
pub(crate) mod image_server;
pub(crate) mod images;
pub(crate) mod kills;
pub(crate) mod library;
pub(crate) mod pages;
pub(crate) mod queues;
pub(crate) mod seeded;
pub(crate) mod signer;
pub(crate) mod sts;
