//! Step 7: composite the watermark again if the output does not completely show it.

use domain::{
    naming::{ImageSize, proportional},
    settings::Gravity,
};
use fast_image_resize::FilterType;

use crate::{
    color,
    decode::{Shrink, decode_shrunk},
    error::MediaError,
    format::Format,
    orient::orient,
    pixels::{Channels, MAX_WATERMARK_PIXELS, Pixels, require_pixel_limit},
    probe::probe_whole,
    webp_tables::require_table_limit,
};

use super::{
    frame::{ColorModel, Picture},
    geometry::{fitted, place},
    region::Region,
    resize::resized,
};
use crate::pixels::Rectangle;

/// Maximum memory of the code tables of a WebP, in bytes.
const MAX_WATERMARK_TABLE_BYTES: u64 = 16 << 20;
/// Maximum width and height of the watermark, in percent of those of the image.
const MAX_SIDE_PERCENT: u32 = 25;
/// Distance between the watermark and the sides of the image, in percent of its shorter side.
const MARGIN_PERCENT: u32 = 2;

/// Formats of watermarks. The others can take more memory than their pixels.
const WATERMARK_FORMATS: [Format; 4] = [Format::Png, Format::Jpeg, Format::WebP, Format::Gif];

/// A decoded watermark with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatermarkLayer {
    /// RGBA pixels. The alpha channel contains the opacity of the layer.
    pixels: Pixels,
    gravity: Gravity,
}

impl WatermarkLayer {
    /// Decodes the image of a watermark with an opacity from 0 to 1: a PNG, JPEG, WebP or GIF.
    /// Fails if it has more than [`MAX_WATERMARK_PIXELS`], or cannot be decoded.
    pub fn decode(
        bytes: &[u8],
        gravity: Gravity,
        opacity: f64,
    ) -> Result<WatermarkLayer, MediaError> {
        let probed = probe_whole(bytes)?;
        if !WATERMARK_FORMATS.contains(&probed.format) {
            return Err(MediaError::UnsupportedFormat(probed.format));
        }
        require_pixel_limit(probed.pixels(), MAX_WATERMARK_PIXELS)?;
        if probed.format == Format::WebP {
            require_table_limit(bytes, MAX_WATERMARK_TABLE_BYTES)?;
        }
        let mut pixels = decode_shrunk(bytes, &probed, Shrink::default())?;
        pixels = orient(pixels, probed.orientation);
        color::to_srgb(&mut pixels);
        pixels.profile = None;

        let mut pixels = color::with_alpha(pixels);
        fade(&mut pixels, opacity);
        Ok(WatermarkLayer { pixels, gravity })
    }

    /// Returns the layer in the size for an image.
    fn fitted_to(&self, image: ImageSize) -> Result<Pixels, MediaError> {
        let limits = ImageSize::new(
            percent(image.width, MAX_SIDE_PERCENT),
            percent(image.height, MAX_SIDE_PERCENT),
        );
        let region = Region::whole(&self.pixels);
        resized(
            &self.pixels,
            region,
            fitted(self.pixels.size(), limits),
            FilterType::Lanczos3,
        )
    }
}

/// Returns a percentage of a length, rounded half up, at least 1 pixel.
fn percent(length: u32, percentage: u32) -> u32 {
    proportional(length, percentage, 100)
}

/// Multiplies the alpha channel by an opacity.
fn fade(pixels: &mut Pixels, opacity: f64) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range of u8"
    )]
    let opacity = (opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
    for pixel in pixels.samples.as_chunks_mut::<4>().0 {
        pixel[3] = color::scaled(u16::from(pixel[3]) * u16::from(opacity));
    }
}

/// A watermark in the size, the colors and the place for an image.
pub(super) struct FittedWatermark {
    /// RGBA pixels, or luma, blue difference, red difference and alpha.
    pub(super) pixels: Pixels,
    pub(super) at: Rectangle,
}

impl FittedWatermark {
    /// Prepares a watermark for images of this size with this color model and profile.
    pub(super) fn new(
        watermark: &WatermarkLayer,
        image: ImageSize,
        model: ColorModel,
        profile: Option<&[u8]>,
    ) -> Result<FittedWatermark, MediaError> {
        let mut pixels = watermark.fitted_to(image)?;
        if let Some(profile) = profile {
            color::from_srgb(&mut pixels, profile);
        }
        if model == ColorModel::Ycc {
            // Blending is linear, so its result is the same in both color models.
            color::to_ycc(&mut pixels);
        }

        let at = position(pixels.size(), image, watermark.gravity);
        Ok(FittedWatermark { pixels, at })
    }

    /// Composites the watermark over an image with colors.
    pub(super) fn composite(&self, pixels: &mut Pixels) {
        blend(pixels, &self.pixels, self.at, 0);
    }
}

/// Blends RGBA pixels over a part of an image, or one of their channels if the image has only one.
pub(super) fn blend(pixels: &mut Pixels, above: &Pixels, at: Rectangle, channel: usize) {
    let count = pixels.channels.count();
    let row = pixels.row_bytes();
    let start = at.left as usize * count;
    let end = start + at.width as usize * count;
    let rows = pixels.samples.chunks_exact_mut(row).skip(at.top as usize);

    for (below, above) in rows.zip(above.samples.chunks_exact(above.row_bytes())) {
        let below = &mut below[start..end];
        let above = above.as_chunks::<4>().0;
        match pixels.channels {
            Channels::Gray => {
                for (below, above) in below.iter_mut().zip(above) {
                    *below = color::over_opaque(*below, above[channel], above[3]);
                }
            }
            Channels::Rgb => {
                for (below, above) in below.as_chunks_mut::<3>().0.iter_mut().zip(above) {
                    for (below, color) in below.iter_mut().zip(above) {
                        *below = color::over_opaque(*below, *color, above[3]);
                    }
                }
            }
            Channels::Rgba => {
                for (below, above) in below.as_chunks_mut::<4>().0.iter_mut().zip(above) {
                    *below = color::over(*below, *above);
                }
            }
        }
    }
}

/// Composites the watermark over an output, if it has one.
pub(super) fn apply(
    mut picture: Picture,
    watermark: Option<&WatermarkLayer>,
) -> Result<Picture, MediaError> {
    if let Some(watermark) = watermark {
        let output = picture.pixels.size();
        let fitted = FittedWatermark::new(watermark, output, picture.model, None)?;
        fitted.composite(&mut picture.pixels);
    }
    Ok(picture)
}

/// Returns where a watermark of a size is placed inside the margins.
fn position(size: ImageSize, image: ImageSize, gravity: Gravity) -> Rectangle {
    let margin = percent(image.width.min(image.height), MARGIN_PERCENT);
    // In images of a few pixels the margin gives way.
    let horizontal = margin.min((image.width - size.width) / 2);
    let vertical = margin.min((image.height - size.height) / 2);
    let inner = ImageSize::new(image.width - 2 * horizontal, image.height - 2 * vertical);

    let placed = place(size, inner, gravity);
    Rectangle {
        left: placed.left + horizontal,
        top: placed.top + vertical,
        ..placed
    }
}
