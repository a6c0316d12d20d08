//! How image files are put together: JPEG's segments, the chunks of PNG and WebP, GIF's blocks,
//! HEIF's boxes and TIFF's directories, read without looking into pixels.
//!
//! Invariant: what is returned lies within the bytes given, and a walk ends after at most one step
//! for each byte.

pub(crate) mod gif;
pub(crate) mod heif;
pub(crate) mod jpeg;
pub(crate) mod png;
pub(crate) mod tiff;
pub(crate) mod webp;
