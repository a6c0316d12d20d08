//! Step 6: composite the watermark.

use domain::Gravity;
use fast_image_resize::FilterType;

use crate::{
    Channels, Dimensions, Format, MediaError, Pixels, color,
    decode::{Shrink, decode_shrunk},
    estimate::require_table_limit,
    orient,
    pixels::require_pixel_limit,
    probe,
};

use super::{
    color::to_ycc,
    frame::{ColorModel, Picture},
    geometry::{Rectangle, fitted, place, proportional},
    region::Region,
    resize::resized,
};

/// Maximum number of pixels of a watermark image.
pub const MAX_WATERMARK_PIXELS: u64 = 4_000_000;
/// Maximum memory of the code tables of a WebP, in bytes.
pub(super) const MAX_WATERMARK_TABLE_BYTES: u64 = 16 << 20;
/// Maximum width and height of the watermark, in percent of those of the output.
const MAX_SIDE_PERCENT: u32 = 25;
/// Distance between the watermark and the sides of the output, in percent of its shorter side.
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
    /// Decodes the image of a watermark with an opacity from 0 to 1: a PNG, JPEG, WebP or GIF. Fails if it
    /// has more than [`MAX_WATERMARK_PIXELS`], or cannot be decoded.
    pub fn decode(
        bytes: &[u8],
        gravity: Gravity,
        opacity: f64,
    ) -> Result<WatermarkLayer, MediaError> {
        let probed = probe(bytes)?;
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

    /// Returns the layer in the size for an output.
    fn fitted_to(&self, output: Dimensions) -> Result<Pixels, MediaError> {
        let limits = Dimensions {
            width: percent(output.width, MAX_SIDE_PERCENT),
            height: percent(output.height, MAX_SIDE_PERCENT),
        };
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

/// A watermark in the size and color model of outputs.
pub(super) struct FittedWatermark {
    layer: Pixels,
    at: Rectangle,
}

impl FittedWatermark {
    /// Prepares a watermark for outputs of this size and color model.
    pub(super) fn new(
        watermark: &WatermarkLayer,
        output: Dimensions,
        model: ColorModel,
    ) -> Result<FittedWatermark, MediaError> {
        let mut layer = watermark.fitted_to(output)?;
        if model == ColorModel::Ycc {
            // Blending is linear, so its result is the same in both color models.
            to_ycc(&mut layer);
        }

        let at = position(&layer, output, watermark.gravity);
        Ok(FittedWatermark { layer, at })
    }

    /// Composites the watermark over an output.
    pub(super) fn composite(&self, picture: Picture) -> Picture {
        // The watermark has colors.
        let mut pixels = color::with_colors(picture.pixels);
        composite(&mut pixels, &self.layer, self.at);
        Picture { pixels, ..picture }
    }
}

/// Composites the watermark over the pixels.
pub(super) fn apply(
    picture: Picture,
    watermark: Option<&WatermarkLayer>,
) -> Result<Picture, MediaError> {
    let Some(watermark) = watermark else {
        return Ok(picture);
    };
    let output = picture.pixels.size();
    let fitted = FittedWatermark::new(watermark, output, picture.model)?;
    Ok(fitted.composite(picture))
}

/// Returns where a layer is placed inside the margins.
fn position(layer: &Pixels, output: Dimensions, gravity: Gravity) -> Rectangle {
    let margin = percent(output.width.min(output.height), MARGIN_PERCENT);
    let size = Dimensions {
        width: layer.width,
        height: layer.height,
    };
    // In images of a few pixels the margin gives way.
    let horizontal = margin.min((output.width - size.width) / 2);
    let vertical = margin.min((output.height - size.height) / 2);
    let inner = Dimensions {
        width: output.width - 2 * horizontal,
        height: output.height - 2 * vertical,
    };

    let placed = place(size, inner, gravity);
    Rectangle {
        left: placed.left + horizontal,
        top: placed.top + vertical,
        ..placed
    }
}

/// Blends a layer over pixels with or without alpha channel.
fn composite(pixels: &mut Pixels, layer: &Pixels, at: Rectangle) {
    let size = pixels.channels.count();
    let row = pixels.row_bytes();
    let start = at.left as usize * size;
    let rows = pixels.samples.chunks_exact_mut(row).skip(at.top as usize);

    for (below, above) in rows.zip(layer.samples.chunks_exact(layer.row_bytes())) {
        let below = &mut below[start..start + at.width as usize * size];
        let above = above.as_chunks::<4>().0;
        if pixels.channels == Channels::Rgba {
            for (below, above) in below.as_chunks_mut::<4>().0.iter_mut().zip(above) {
                *below = color::over(*below, *above);
            }
        } else {
            for (below, above) in below.as_chunks_mut::<3>().0.iter_mut().zip(above) {
                let [red, green, blue, _] =
                    color::over([below[0], below[1], below[2], u8::MAX], *above);
                *below = [red, green, blue];
            }
        }
    }
}
