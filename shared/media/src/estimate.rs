//! Upper bounds of the memory and time of a rendering, from headers alone: numbers of pixels times
//! the maximum of each format.
//!
//! Invariants:
//! - No pixel is decoded. The limits of sides and pixels are checked before, so no sum overflows.
//! - The memory is at least the measured peak of the worst image with such a header
//!   (`tests/media/memory.rs`).

use domain::naming::ImageSize;

use crate::{
    container::jpeg_scans::JpegScans,
    decode::{AV1_PIXEL_BYTES, HEVC_PIXEL_BYTES, HeifImage, Shrink, TiffTiles},
    encode::{AVIF_FULL_CHROMA_QUALITY, JPEG_FULL_CHROMA_QUALITY},
    error::MediaError,
    format::Format,
    pixels::{MAP_SIDE, MAX_NEGOTIATED_AVIF_PIXELS, MAX_WATERMARK_PIXELS},
    probe::{Frames, ImageInfo},
    webp_tables::{MAX_TABLE_BYTES, require_table_limit},
};

/// Maximum estimated time of a rendering, in milliseconds. The rest of the time until the response
/// is for reading and storing files, and for waiting for memory.
pub const MAX_RENDERING_MILLISECONDS: u64 = 16_000;

/// Nanoseconds of a millisecond.
const NANOSECONDS: u64 = 1_000_000;
/// Time to decode a sample and a byte of a JPEG, and of each further scan per sample, in
/// nanoseconds.
const JPEG_SAMPLE: u64 = 8;
const JPEG_BYTE: u64 = 25;
const JPEG_SCAN_SAMPLE: u64 = 1;
/// Time to decode a pixel of a HEIC as often as it has slices, in nanoseconds. Noise takes 131.
const HEIC_PIXEL: u64 = 150;
/// Time to decode a pixel of an AVIF as often as it has frames, and a byte, in nanoseconds. Full
/// chroma with film grain takes 80 per pixel besides its bytes, and noise up to 85 per byte.
const AVIF_PIXEL: u64 = 90;
const AVIF_BYTE: u64 = 100;
/// Time to resize a pixel of the source or of the output, in nanoseconds.
const RESIZED_PIXEL: u64 = 15;

/// Memory of every rendering, in bytes: stacks, and tables of an encoder.
const FIXED_BYTES: u64 = 8 << 20;
/// Memory of every decoder, in bytes: rows, tables and metadata.
const DECODER_BYTES: u64 = 12 << 20;
/// Memory of a decoded watermark, or of its copy in the size for an image, in bytes.
const WATERMARK_BYTES: u64 = MAX_WATERMARK_PIXELS * 4;
/// Memory of decoding, resizing and compositing a watermark, in bytes.
const WATERMARKING_BYTES: u64 = MAX_WATERMARK_PIXELS * 16;
/// Size of a JPEG coefficient, in bytes.
const COEFFICIENT_BYTES: u64 = 2;
/// Memory of resizing per pixel of all sides of source and output, in bytes: the coefficients of a
/// filter that reads up to seven pixels per pixel of the longer side.
const SIDE_BYTES: u64 = 170;
/// Memory of a TIFF per pixel before its conversion to 8 bits, in bytes: two copies of four samples
/// of up to 32 bits.
const TIFF_PIXEL_BYTES: u64 = 32;
/// Memory of a pixel of an animation's canvas, in bytes: the canvas, one frame, and their copies.
const CANVAS_PIXEL_BYTES: u64 = 28;
/// Memory of a pixel of a rendered frame with its encoder, in bytes.
const FRAME_PIXEL_BYTES: u64 = 44;
/// Memory of a pixel of a rendered animation in the file, in bytes. Noise, the worst case, takes
/// half of it; the file grows by doubling.
const FILE_PIXEL_BYTES: u64 = 4;

/// Maximum memory and time of decoding an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DecodingCost {
    /// Size of a decoded pixel, in bytes.
    pixel_bytes: u64,
    /// Size of a JPEG that is decoded in full size, with padding, in bytes.
    padded_bytes: u64,
    /// Memory of the decoder in addition to the pixels, in bytes.
    working_bytes: u64,
    pub(crate) milliseconds: u64,
}

impl DecodingCost {
    /// Reads the headers of a complete file within the limits of sides and pixels. Fails if the
    /// image cannot be decoded in bounded memory.
    pub(crate) fn read(bytes: &[u8], info: &ImageInfo) -> Result<DecodingCost, MediaError> {
        let pixels = info.pixels();
        let is_still = info.frames == Frames::Still;
        let mut padded_bytes = 0;
        let mut is_rgba = false;
        // Files that are damaged behind their pixels are copied without the damaged part, and icons
        // as one of their image alone.
        let copy_bytes = match info.format {
            Format::Gif | Format::Ico | Format::Png | Format::WebP => bytes.len() as u64,
            _ => 0,
        };
        let (working_bytes, nanoseconds) = match info.format {
            Format::Jpeg => {
                let scans = JpegScans::read(bytes)?;
                padded_bytes = scans.samples;
                let coefficients = if scans.is_buffered {
                    scans.samples * COEFFICIENT_BYTES
                } else {
                    0
                };
                let sample_time = JPEG_SAMPLE + scans.count * JPEG_SCAN_SAMPLE;
                // A profile is joined from its segments, and read again.
                (
                    coefficients + 2 * scans.profile_bytes,
                    scans.samples * sample_time + bytes.len() as u64 * JPEG_BYTE,
                )
            }
            Format::WebP => {
                // The tables of frames are limited when they are decoded.
                if is_still {
                    require_table_limit(bytes, MAX_TABLE_BYTES)?;
                }
                let working = match info {
                    _ if !is_still => pixels * 12 + MAX_TABLE_BYTES,
                    info if info.lossless => pixels * 5 + MAX_TABLE_BYTES,
                    info if info.has_alpha => pixels * 8 + MAX_TABLE_BYTES,
                    _ => pixels * 3,
                };
                (working, pixels * 110)
            }
            Format::Tiff => {
                let tiles = TiffTiles::read(bytes, info)?;
                let row = u64::from(tiles.padded.width) * TIFF_PIXEL_BYTES;
                is_rgba = !matches!(tiles.samples, 1 | 3);
                (pixels * TIFF_PIXEL_BYTES + row, tiles.padded.pixels() * 30)
            }
            Format::Gif => (pixels, pixels * 30),
            Format::Png | Format::Bmp | Format::Ico => (0, pixels * 30),
            Format::Heic | Format::Avif => heif_cost(bytes, info.format)?,
        };

        let is_transparent = info.has_alpha
            || is_rgba
            || matches!(info.format, Format::Gif | Format::Bmp | Format::Ico)
            || (info.format == Format::WebP && !is_still);
        Ok(DecodingCost {
            pixel_bytes: if is_transparent { 4 } else { 3 },
            padded_bytes,
            working_bytes: working_bytes + copy_bytes,
            milliseconds: nanoseconds / NANOSECONDS,
        })
    }

    /// Returns the memory of the decoded pixels, in bytes.
    pub(crate) fn decoded_bytes(&self, info: &ImageInfo, shrink: Shrink) -> u64 {
        let bytes = shrink.size(info.stored()).pixels() * self.pixel_bytes;
        if shrink == Shrink::None {
            bytes.max(self.padded_bytes)
        } else {
            bytes
        }
    }

    /// Returns the peak of rendering a still output, in bytes: of decoding, rotating or resizing,
    /// or of encoding.
    pub(crate) fn peak_bytes(&self, info: &ImageInfo, still: &StillOutput) -> u64 {
        let source = still.shrink.size(info.displayed());
        let decoded = self.decoded_bytes(info, still.shrink);
        let output_bytes = still.work.output.pixels() * self.pixel_bytes;

        let rotated = if info.orientation.swaps_sides() {
            decoded
        } else {
            0
        };
        let resizing = still.resizing_bytes(source, self.pixel_bytes) + 2 * output_bytes;
        let premultiplied = if self.pixel_bytes == 4 { decoded } else { 0 };
        let (watermark, watermarking) = if still.has_watermark {
            (WATERMARK_BYTES, WATERMARKING_BYTES)
        } else {
            (0, 0)
        };
        let before_output = [
            DECODER_BYTES + self.working_bytes,
            rotated,
            // Gray pixels get colors before a watermark is composited.
            source.pixels(),
            watermarking,
            premultiplied + resizing,
        ];
        let before_output = decoded + before_output.into_iter().max().unwrap_or(0);

        let encoder = Work {
            has_alpha: self.pixel_bytes == 4,
            ..still.work
        };
        let encoder_bytes = still.work.output.pixels() * encoder.pixel_cost().bytes;
        let kept = if still.is_shared {
            decoded + watermark
        } else {
            0
        };
        let encoding = kept + output_bytes + encoder_bytes.max(watermarking);
        FIXED_BYTES + watermark + before_output.max(encoding)
    }
}

/// Returns the memory of decoding a HEIC or AVIF in addition to the pixels, in bytes, and the time,
/// in nanoseconds.
fn heif_cost(bytes: &[u8], format: Format) -> Result<(u64, u64), MediaError> {
    let work = HeifImage::read(bytes, format)?.work;
    // The units of a picture are copied: without what the decoder does not need, and without their
    // escapes.
    let units = work.copied_bytes + 2 * work.picture_bytes;

    Ok(if format == Format::Heic {
        let planes = work.picture_pixels * HEVC_PIXEL_BYTES;
        (planes + units, work.pixels * HEIC_PIXEL)
    } else {
        let planes = work.picture_pixels * AV1_PIXEL_BYTES;
        let process = av1::max_bytes(work.picture_pixels);
        let time = work.pixels * AVIF_PIXEL + work.data_bytes * AVIF_BYTE;
        (planes + units + process, time)
    })
}

/// A still output, and how its source is decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StillOutput {
    pub(crate) work: Work,
    pub(crate) shrink: Shrink,
    pub(crate) has_watermark: bool,
    /// Whether the decoded pixels are kept for further outputs.
    pub(crate) is_shared: bool,
}

impl StillOutput {
    /// Returns the memory of resizing without source and output, in bytes. The resizer filters
    /// vertically first: its intermediate image is as wide as the source and as high as the output,
    /// or as the map of salient parts.
    fn resizing_bytes(&self, source: ImageSize, pixel_bytes: u64) -> u64 {
        let output = self.work.output;
        let rows = output.height.max(MAP_SIDE);
        let intermediate = u64::from(source.width) * u64::from(rows) * pixel_bytes;
        let sides = [source.width, source.height, output.width, output.height];
        let sides: u64 = sides.map(u64::from).into_iter().sum();
        intermediate + sides * SIDE_BYTES
    }
}

/// Returns the peak of rendering an animation within all limits, in bytes.
pub(crate) fn animation_bytes(
    info: &ImageInfo,
    output: ImageSize,
    frames: u32,
    has_watermark: bool,
) -> u64 {
    let tables = if info.format == Format::WebP {
        MAX_TABLE_BYTES
    } else {
        0
    };
    let watermark = if has_watermark {
        WATERMARK_BYTES + WATERMARKING_BYTES
    } else {
        0
    };

    let pixel_bytes = FRAME_PIXEL_BYTES + FILE_PIXEL_BYTES * u64::from(frames);
    FIXED_BYTES
        + watermark
        + tables
        + info.pixels() * CANVAS_PIXEL_BYTES
        + output.pixels() * pixel_bytes
}

/// Work of resizing and encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) output: ImageSize,
    pub(crate) format: Format,
    pub(crate) quality: u8,
    pub(crate) has_alpha: bool,
}

/// Maximum memory and time of encoding a pixel.
struct PixelCost {
    /// In addition to the pixel, but including the file.
    bytes: u64,
    nanoseconds: u64,
}

impl Work {
    /// Returns the time of resizing and encoding this number of frames, in milliseconds.
    pub(crate) fn milliseconds(self, info: &ImageInfo, frames: u32) -> u64 {
        let resizing = info.pixels() * RESIZED_PIXEL;
        let encoded_pixel = RESIZED_PIXEL + self.pixel_cost().nanoseconds;
        (resizing + self.output.pixels() * encoded_pixel) * u64::from(frames) / NANOSECONDS
    }

    /// Returns the maximum of the format. Measured with noise, whose files are the largest, on one
    /// core of a server.
    fn pixel_cost(self) -> PixelCost {
        let (bytes, nanoseconds) = match self.format {
            Format::Jpeg if self.quality >= JPEG_FULL_CHROMA_QUALITY => (16, 250),
            Format::Jpeg => (8, 80),
            Format::Png => (8, 100),
            Format::WebP if self.has_alpha => (48, 420),
            Format::WebP if self.quality > 80 => (37, 420),
            Format::WebP => (27, 300),
            Format::Avif => self.avif_pixel_cost(),
            Format::Gif => (20, 150),
            Format::Heic | Format::Bmp | Format::Tiff | Format::Ico => (0, 0),
        };
        PixelCost { bytes, nanoseconds }
    }

    fn avif_pixel_cost(self) -> (u64, u64) {
        let pixels = self.output.pixels();
        let (half_chroma, full_chroma, alpha) = if pixels <= MAX_NEGOTIATED_AVIF_PIXELS {
            (2_000, 3_300, 1_500)
        } else {
            (300, 700, 350)
        };
        let (bytes, colors) = if self.quality >= AVIF_FULL_CHROMA_QUALITY {
            (44, full_chroma)
        } else {
            (28, half_chroma)
        };
        (bytes, colors + if self.has_alpha { alpha } else { 0 })
    }
}
