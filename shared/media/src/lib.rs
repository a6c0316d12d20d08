//! Image processing on byte slices: all codecs of Larder.
//!
//! - [`probe()`] reads the header of an image.
//! - [`require_complete()`] detects truncated files.
//! - [`decode()`] decodes pixels.
//! - [`orient()`] applies the orientation to pixels.
//! - [`encode()`] encodes pixels.
//! - [`strip()`] removes metadata without decoding.
//! - [`transform()`] combines these steps by the rules of an upload config.
//! - [`render()`] renders an image for delivery: resized, cropped, with a watermark.
//! - [`Source::decode`] renders several outputs of an image that is decoded once.
//! - [`image_metadata()`] reads what the record of an image contains, such as EXIF fields.
//! - [`inspect()`] and [`inspect_sparse()`] read properties of audio, video and PDF files.
//! - [`blurhash()`], [`dominant_color()`] and [`color_name()`] describe pixels.
//!
//! Invariants:
//! - No I/O, except by the reader that is passed to [`inspect()`], and no async code.
//! - No input causes a panic, or more memory use than the functions document.

mod animation;
mod blurhash;
mod bytes;
mod color;
mod completeness;
mod container;
mod decode;
mod dominant_color;
mod encode;
mod error;
mod estimate;
mod exif;
mod format;
mod image_metadata;
mod inspect;
mod metadata;
mod orient;
mod pixels;
mod probe;
mod render;
mod transform;
mod webp_tables;

pub use animation::{
    MAX_ANIMATED_GIF_PIXELS, MAX_ANIMATED_WEBP_PIXELS, MAX_ANIMATION_PIXELS, MAX_FRAMES,
};
pub use blurhash::blurhash;
pub use completeness::require_complete;
pub use decode::decode;
pub use dominant_color::{color_name, dominant_color};
pub use encode::{EncodeOptions, encode, quality, supports_sides};
pub use error::{MediaError, ProbeError};
pub use estimate::MAX_RENDERING_MILLISECONDS;
pub use exif::{ExifValue, MAX_EXIF_CHARACTERS, MAX_EXIF_FIELDS};
pub use format::Format;
pub use image_metadata::{ImageMetadata, MAX_COUNTED_PAGES, MetadataOptions, image_metadata};
pub use inspect::{
    Inspection, MAX_DURATION_SECONDS, MAX_PDF_BYTES, MAX_SPARSE_CHUNKS, MediaProperties,
    MissingBytes, SPARSE_CHUNK_BYTES, SparseReader, inspect, inspect_sparse,
};
pub use metadata::strip;
pub use orient::{Orientation, orient};
pub use pixels::{
    Channels, MAX_AVIF_PIXELS, MAX_LOSSLESS_PIXELS, MAX_NEGOTIATED_AVIF_PIXELS, MAX_PIXELS,
    MAX_SIDE, Pixels,
};
pub use probe::{Frames, ImageInfo, probe, probe_whole};
pub use render::{
    DecodedSource, Geometry, MAX_OUTPUT_PIXELS, MAX_WATERMARK_PIXELS, PlanOptions, Rectangle,
    RenderOptions, RenderPlan, RenderedImage, SharedPlan, Source, WatermarkLayer, canonical_resize,
    plan, render,
};
pub use transform::{
    MAX_CONVERSION_MILLISECONDS, TransformOutcome, TransformedImage, can_remove_metadata,
    can_transform, converts_all, has_image_transformations, transform, transform_undecoded,
};
