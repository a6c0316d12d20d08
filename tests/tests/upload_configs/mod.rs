//! `/upload-configs`.

pub(crate) mod lifecycle;
pub(crate) mod list;
pub(crate) mod validation;
