//! PNG encoding.

use std::borrow::Cow;

use png::{BitDepth, ColorType, Encoder, Info};

use crate::{
    error::MediaError,
    pixels::{Channels, Pixels},
};

use super::EncodeOptions;

pub(super) fn encode(pixels: &Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    let mut info = Info::with_size(pixels.width, pixels.height);
    info.bit_depth = BitDepth::Eight;
    info.color_type = match pixels.channels {
        Channels::Gray => ColorType::Grayscale,
        Channels::Rgb => ColorType::Rgb,
        Channels::Rgba => ColorType::Rgba,
    };
    info.icc_profile = pixels.profile.as_deref().map(Cow::Borrowed);
    info.exif_metadata = encoding.exif.map(Cow::Borrowed);

    let mut file = Vec::new();
    let encoder = Encoder::with_info(&mut file, info).map_err(MediaError::encoding)?;
    let mut writer = encoder.write_header().map_err(MediaError::encoding)?;

    writer
        .write_image_data(&pixels.samples)
        .map_err(MediaError::encoding)?;
    writer.finish().map_err(MediaError::encoding)?;
    Ok(file)
}
