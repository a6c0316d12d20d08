//! `/upload-configs`.

pub(crate) mod lifecycle;
