//! Upload configs, and the numbers that keep AVIF uploads and watermarks apart.

pub(crate) mod avif_and_watermarks;
pub(crate) mod configs;
