//! Tests of probing, decoding, encoding, stripping and transforming, also with malformed images.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod animation_files;
mod animation_laws;
mod animation_limits;
mod animation_steps;
mod animation_viewer;
mod animations;
mod avif;
mod avif_originals;
mod color_inputs;
mod colors;
mod descriptions;
mod exif_files;
mod files;
mod fuzz;
mod heads;
mod heic;
mod heic_files;
mod hostile;
mod icons;
mod image_metadata;
mod inspect;
mod jpeg_ends;
mod limits;
mod media_files;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod memory_sources;
mod orientation;
mod probe;
mod render;
mod render_inputs;
mod render_laws;
mod shared_rendering;
mod strip;
mod tiff_files;
mod tolerance;
mod transform;
mod undecoded;
mod watermark_outputs;
mod watermarks;
