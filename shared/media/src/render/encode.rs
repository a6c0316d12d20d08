//! Step 8: encode without metadata.

use crate::{
    encode::{EncodeOptions, encode, encode_ycc, quality},
    error::MediaError,
};

use super::{
    RenderOptions, RenderedImage,
    frame::{ColorModel, Picture},
};

pub(super) fn write(
    picture: Picture,
    options: &RenderOptions,
) -> Result<RenderedImage, MediaError> {
    let pixels = picture.pixels;
    let width = pixels.width;
    let height = pixels.height;
    let encoding = EncodeOptions {
        progressive: true,
        ..EncodeOptions::new(options.format, quality(options.quality, width, height))
    };

    let bytes = match picture.model {
        ColorModel::Rgb => encode(pixels, &encoding)?,
        ColorModel::Ycc => encode_ycc(&pixels, &encoding)?,
    };
    Ok(RenderedImage {
        bytes,
        format: options.format,
        width,
        height,
    })
}
