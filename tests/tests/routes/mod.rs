//! Rules that hold for every route.

pub(crate) mod contract;
pub(crate) mod creations;
pub(crate) mod declarations;
pub(crate) mod error_responses;
mod example_replacements;
mod example_session;
pub(crate) mod examples;
pub(crate) mod expected_error;
pub(crate) mod file_roles;
pub(crate) mod fixture;
pub(crate) mod idempotency;
pub(crate) mod lists;
pub(crate) mod methods_and_cors;
pub(crate) mod pagination;
pub(crate) mod rate_limits;
pub(crate) mod roles;
pub(crate) mod unicode;
