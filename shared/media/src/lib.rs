//! Image processing on byte slices: all codecs of Larder.
//!
//! - [`probe::probe()`] reads the header of an image.
//! - [`completeness::require_complete()`] detects truncated files.
//! - [`decode::decode()`] decodes pixels.
//! - [`orient::orient()`] applies the orientation to pixels.
//! - [`encode::encode()`] encodes pixels.
//! - [`strip::strip()`] removes metadata without decoding.
//! - [`transform::transform()`] combines these steps by the rules of an upload config.
//! - [`render::render()`] renders an image for delivery: resized, cropped, with a watermark.
//! - [`render::Source::decode`] renders several outputs of an image that is decoded once.
//! - [`image_metadata::image_metadata()`] reads what the record of an image contains, such as EXIF
//!   fields.
//! - [`inspect::inspect()`] and [`inspect::inspect_sparse()`] read properties of audio, video and
//!   PDF files.
//! - [`blurhash::blurhash()`], [`dominant_color::dominant_color()`] and
//!   [`dominant_color::color_name()`] describe pixels.
//!
//! Invariants:
//! - No I/O, except by the reader that is passed to [`inspect::inspect()`] and the child process
//!   that decodes AVIF, and no async code.
//! - No input causes a panic, or more memory use than the functions document.

pub mod format;

pub mod error;

mod bytes;
pub mod pixels;

mod color;
mod container;
pub mod orient;

pub mod completeness;
pub mod exif;
mod webp_tables;

pub mod probe;

pub mod animation;

pub mod decode;

pub mod encode;

pub mod estimate;

pub mod render;

pub mod blurhash;
pub mod dominant_color;
pub mod image_metadata;
pub mod inspect;
pub mod strip;
pub mod transform;
