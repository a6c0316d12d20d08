//! Rendering of one variant: limits, choice of the format, and errors.

use bytes::Bytes;
use domain::{FieldError, FieldErrors, File, ImageFormat, ResourceType, ServiceError, Variant};
use media::{
    Dimensions, Format, Frames, ImageInfo, MAX_WATERMARK_PIXELS, MediaError, RenderOptions,
    WatermarkLayer, plan, probe, render, rendered_frames,
};
use tenant::VariantInfo;

use crate::{MAX_SOURCE_BYTES, Rendition};

/// Maximum pixels of an AVIF that a client did not request explicitly. Encoding takes up to 0.5 s per
/// million pixels.
const MAX_NEGOTIATED_AVIF_PIXELS: u64 = 2_000_000;
/// Memory of a decoded pixel with the working memory of its decoder, in bytes.
const DECODED_PIXEL_BYTES: u64 = 8;
/// Memory of a pixel of a progressive JPEG in addition, in bytes.
const PROGRESSIVE_PIXEL_BYTES: u64 = 6;
/// Memory of a pixel of the output with its encoder, in bytes.
const OUTPUT_PIXEL_BYTES: u64 = 12;
/// Memory of a pixel of an AVIF with its encoder, in bytes.
const AVIF_PIXEL_BYTES: u64 = 180;
/// Memory of a pixel of an animation's canvas, in bytes: the canvas, one frame, and their copies.
const CANVAS_PIXEL_BYTES: u64 = 28;
/// Memory of a pixel of a frame of a WebP in addition, in bytes: the Huffman tables of a malicious one.
const HUFFMAN_PIXEL_BYTES: u64 = 36;
/// Memory of a pixel of a rendered frame with its encoder, in bytes.
const FRAME_PIXEL_BYTES: u64 = 44;
/// Memory of a pixel of a rendered animation in the file, in bytes. Noise, the worst case, takes half
/// of it; the file grows by doubling.
const FILE_PIXEL_BYTES: u64 = 4;
/// A JPEG is decoded in at most this multiple of the output's width and height.
const MAX_JPEG_SCALE: u64 = 3;

/// A rendering whose limits are checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rendering {
    variant: Variant,
    format: Format,
    /// Estimated peak memory, in bytes.
    pub(crate) memory_bytes: u64,
}

/// Fails with 422 if a file is no image, or too large to be read into memory.
pub(crate) fn require_source(file: &File) -> Result<(), ServiceError> {
    if file.resource_type != ResourceType::Image {
        return Err(invalid(FieldError::Custom(
            "must be an image to be transformed",
        )));
    }
    if file.size > MAX_SOURCE_BYTES {
        return Err(invalid(FieldError::TooManyBytes(MAX_SOURCE_BYTES)));
    }
    Ok(())
}

impl Rendering {
    /// Chooses the format, and checks the limits from the image's header.
    pub(crate) fn plan(bytes: &[u8], variant: Variant) -> Result<Rendering, ServiceError> {
        let info = probe(bytes).map_err(|error| rendering_error(error.into()))?;
        let resize = variant
            .transformation
            .and_then(|transformation| transformation.resize);
        let geometry = plan(info.displayed(), resize).map_err(rendering_error)?;
        let output = geometry.output();
        let format = choose_format(variant, &info, output);
        let frames = rendered_frames(bytes, &info, format, output).map_err(rendering_error)?;
        let watermark_bytes = if variant.watermark.is_some() {
            MAX_WATERMARK_PIXELS * DECODED_PIXEL_BYTES
        } else {
            0
        };

        Ok(Rendering {
            variant,
            format,
            memory_bytes: if frames > 1 {
                animation_memory_bytes(&info, output, frames) + watermark_bytes
            } else {
                memory_bytes(&info, output, format) + watermark_bytes
            },
        })
    }

    /// Renders the image. Blocks the thread for up to seconds.
    pub(crate) fn run(
        self,
        bytes: &[u8],
        watermark: Option<&WatermarkLayer>,
    ) -> Result<Rendition, ServiceError> {
        let transformation = self.variant.transformation.unwrap_or_default();
        let options = RenderOptions {
            resize: transformation.resize,
            format: self.format,
            quality: transformation.quality,
            watermark,
        };
        let rendered = render(bytes, &options).map_err(rendering_error)?;

        Ok(Rendition {
            info: VariantInfo {
                content_type: rendered.format.media_type().mime_type,
                width: rendered.width,
                height: rendered.height,
            },
            bytes: Bytes::from(rendered.bytes),
        })
    }
}

/// Returns the format to render. A negotiated AVIF becomes a WebP if it would take too long, or would
/// lose an animation.
fn choose_format(variant: Variant, info: &ImageInfo, output: Dimensions) -> Format {
    let format = match variant.format {
        ImageFormat::Jpeg => Format::Jpeg,
        ImageFormat::Png => Format::Png,
        ImageFormat::WebP => Format::WebP,
        ImageFormat::Avif => Format::Avif,
        ImageFormat::Gif => Format::Gif,
    };
    let is_animated =
        matches!(info.format, Format::Gif | Format::WebP) && info.frames != Frames::Still;
    let exceeds_avif = pixels(output) > MAX_NEGOTIATED_AVIF_PIXELS || is_animated;
    if format == Format::Avif && variant.is_negotiated() && exceeds_avif {
        Format::WebP
    } else {
        format
    }
}

fn memory_bytes(info: &ImageInfo, output: Dimensions, format: Format) -> u64 {
    let output_pixels = pixels(output);
    let input_pixels = info.pixels();

    let decoding = if info.format == Format::Jpeg {
        let decoded_pixels = input_pixels.min(output_pixels * MAX_JPEG_SCALE * MAX_JPEG_SCALE);
        let scans = if info.progressive {
            input_pixels * PROGRESSIVE_PIXEL_BYTES
        } else {
            0
        };
        decoded_pixels * DECODED_PIXEL_BYTES + scans
    } else {
        input_pixels * DECODED_PIXEL_BYTES
    };
    let encoding = if format == Format::Avif {
        output_pixels * AVIF_PIXEL_BYTES
    } else {
        output_pixels * OUTPUT_PIXEL_BYTES
    };
    decoding + encoding
}

fn animation_memory_bytes(info: &ImageInfo, output: Dimensions, frames: u32) -> u64 {
    let canvas_pixel_bytes = if info.format == Format::WebP {
        CANVAS_PIXEL_BYTES + HUFFMAN_PIXEL_BYTES
    } else {
        CANVAS_PIXEL_BYTES
    };
    let file_pixels = pixels(output) * u64::from(frames);
    info.pixels() * canvas_pixel_bytes
        + pixels(output) * FRAME_PIXEL_BYTES
        + file_pixels * FILE_PIXEL_BYTES
}

fn pixels(dimensions: Dimensions) -> u64 {
    u64::from(dimensions.width) * u64::from(dimensions.height)
}

fn invalid(field_error: FieldError) -> ServiceError {
    FieldErrors::from(("file", field_error)).into()
}

/// Returns the error of a request for an image that cannot be rendered.
fn rendering_error(error: MediaError) -> ServiceError {
    match error {
        MediaError::Truncated => invalid(FieldError::Custom("is a truncated image")),
        MediaError::Malformed(_) | MediaError::UnsupportedFormat(_) => invalid(FieldError::Custom(
            "must be an image that can be decoded to be transformed",
        )),
        MediaError::TooManyPixels { limit, .. } => invalid(FieldError::TooManyPixels(limit)),
        MediaError::TooManyScans(_) => {
            invalid(FieldError::Custom("must be a JPEG with at most 200 scans"))
        }
        MediaError::AnimationTooLarge => invalid(FieldError::Custom(
            "must be an animation with at most 3,000 frames and 250 million pixels in all frames; as f=jpeg, png or avif, the first frame is delivered",
        )),
        MediaError::AnimatedOutputTooLarge { .. } => FieldErrors::from((
            "w",
            FieldError::Custom(
                "must be smaller for an animation with this many frames: all frames together may have at most 25 million pixels as GIF, and 50 million as WebP",
            ),
        ))
        .into(),
        MediaError::OutputTooLarge { limit, .. } => {
            FieldErrors::from(("w", FieldError::TooManyPixels(limit))).into()
        }
        MediaError::DimensionsTooLarge { .. } => FieldErrors::from((
            "f",
            FieldError::Custom("must be a format that supports images of this size"),
        ))
        .into(),
        error @ MediaError::Encoding(_) => ServiceError::internal(error),
    }
}

#[cfg(test)]
mod tests {
    use domain::Transformation;
    use media::{
        MAX_ANIMATED_GIF_PIXELS, MAX_ANIMATED_WEBP_PIXELS, MAX_ANIMATION_PIXELS, MAX_FRAMES,
    };

    use super::*;

    /// Returns a GIF of 100 × 100 pixels with this number of frames.
    fn gif(frames: usize) -> Vec<u8> {
        let frame = b"\x2C\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
        let header = b"GIF89a\x64\0\x64\0\x80\0\0\0\0\0\xFF\xFF\xFF";
        [&header[..], &frame.repeat(frames), b";"].concat()
    }

    fn planned(frames: usize, format: ImageFormat) -> Rendering {
        let variant = Variant {
            transformation: Some(Transformation::default()),
            format,
            watermark: None,
        };
        Rendering::plan(&gif(frames), variant).expect("within the limits")
    }

    #[test]
    fn memory_of_an_animation_counts_its_frames() {
        let still = planned(200, ImageFormat::Png).memory_bytes;
        let few = planned(2, ImageFormat::Gif).memory_bytes;
        let many = planned(200, ImageFormat::Gif).memory_bytes;

        assert!(still < few && few < many, "{still} {few} {many}");
        assert_eq!(many - few, 198 * 10_000 * FILE_PIXEL_BYTES);
    }

    #[test]
    fn negotiated_avif_becomes_webp_if_the_image_is_animated() {
        assert_eq!(planned(1, ImageFormat::Avif).format, Format::Avif);
        assert_eq!(planned(2, ImageFormat::Avif).format, Format::WebP);
        assert_eq!(planned(2, ImageFormat::Jpeg).format, Format::Jpeg);
    }

    #[test]
    fn messages_name_the_limits_of_animations() {
        assert_eq!(MAX_FRAMES, 3_000);
        assert_eq!(MAX_ANIMATION_PIXELS, 250_000_000);
        assert_eq!(MAX_ANIMATED_GIF_PIXELS, 25_000_000);
        assert_eq!(MAX_ANIMATED_WEBP_PIXELS, 50_000_000);
    }
}
