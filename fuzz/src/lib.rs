//! Parts that the fuzz targets share: reading of inputs, the laws that they check, and seeds.
//!
//! Invariants:
//! - An input is a few bytes of options and then a file, or a text, so that mutations keep its
//!   form.
//! - Images with many pixels are skipped, so that an input takes milliseconds.

mod image_input;
mod image_laws;
mod init;
pub mod seeds;

pub use image_input::ImageInput;
pub use image_laws::{check_image, check_watermark};
pub use init::init;

/// Number of parsers of the target `parsers`.
pub const PARSERS: u8 = 9;
