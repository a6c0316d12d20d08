//! `/upload-configs`.

pub(crate) mod avif_and_watermarks;
pub(crate) mod lifecycle;
