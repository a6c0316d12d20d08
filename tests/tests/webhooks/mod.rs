//! Webhooks: events, attempts, signatures, and the log of messages.

pub(crate) mod activation;
pub(crate) mod addresses;
pub(crate) mod attempts;
pub(crate) mod deletions;
pub(crate) mod duplicates;
pub(crate) mod events;
pub(crate) mod failures;
pub(crate) mod fixture;
pub(crate) mod log;
pub(crate) mod neighbours;
pub(crate) mod processing;
pub(crate) mod redeliveries;
pub(crate) mod signatures;
pub(crate) mod url_visibility;
