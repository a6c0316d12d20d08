//! Memory of a rendering: the largest sum of everything that is in memory at the same time.

use domain::Focus;

use crate::{
    Dimensions, Format, ImageInfo,
    estimate::{
        DecodedImage, DecodedPlane, MAX_TABLE_BYTES, ResizedPart, Support, encoding_bytes,
        resizing_bytes,
    },
};

use super::{
    Geometry,
    saliency::MAP_SIDE,
    watermark::{MAX_WATERMARK_PIXELS, MAX_WATERMARK_TABLE_BYTES},
};

/// Memory of every rendering, in bytes: stacks, code, and unused parts of small allocations.
const FIXED_BYTES: u64 = 4 << 20;
/// Memory of a decoded watermark per pixel, in bytes.
const LAYER_PIXEL_BYTES: u64 = 4;
/// Memory of decoding the largest watermark, in bytes.
const LAYER_DECODING_BYTES: u64 =
    MAX_WATERMARK_PIXELS * 12 + MAX_WATERMARK_TABLE_BYTES + (12 << 20);

/// Memory of a pixel of an animation's canvas, in bytes: the canvas, one frame, and their copies.
const CANVAS_PIXEL_BYTES: u64 = 28;
/// Memory of a pixel of a rendered frame with its encoder, in bytes.
const FRAME_PIXEL_BYTES: u64 = 44;
/// Memory of a pixel of a rendered animation in the file, in bytes. Noise, the worst case, takes half
/// of it; the file grows by doubling.
const FILE_PIXEL_BYTES: u64 = 4;

/// Returns the peak of rendering an animation, in bytes.
pub(super) fn animation_bytes(
    info: &ImageInfo,
    output: Dimensions,
    frames: u32,
    has_watermark: bool,
) -> u64 {
    let tables = if info.format == Format::WebP {
        MAX_TABLE_BYTES
    } else {
        0
    };
    let watermark = if has_watermark {
        LAYER_DECODING_BYTES
    } else {
        0
    };
    let canvas = info.pixels().saturating_mul(CANVAS_PIXEL_BYTES);
    let frame = output.pixels().saturating_mul(FRAME_PIXEL_BYTES);
    let file = output
        .pixels()
        .saturating_mul(frames.into())
        .saturating_mul(FILE_PIXEL_BYTES);

    [canvas, frame, file, tables, watermark]
        .into_iter()
        .fold(FIXED_BYTES, u64::saturating_add)
}

/// A rendering whose memory is estimated.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// The decoded image.
    pub(super) decoded: DecodedImage,
    /// Whether width and height are swapped for display.
    pub(super) swaps_sides: bool,
    /// Number of pixels of the image in full size.
    pub(super) image_pixels: u64,
    pub(super) geometry: Geometry,
    /// Where the crop rectangle is; `None` without one.
    pub(super) focus: Option<Focus>,
    pub(super) has_watermark: bool,
    pub(super) format: Format,
    pub(super) quality: u8,
}

impl Steps {
    /// Returns the peak of all steps, in bytes.
    pub(super) fn peak_bytes(&self) -> u64 {
        let peak = self.bytes_before_output().max(self.encoding_bytes());
        self.with_fixed_bytes(peak)
    }

    /// Returns the peak of all steps if the decoded pixels are kept for further outputs, in bytes.
    pub(super) fn shared_peak_bytes(&self) -> u64 {
        let covered = if self.has_watermark {
            fitted_bytes(self.image_pixels)
        } else {
            0
        };
        let decoded = self.decoded.bytes().saturating_add(covered);
        let encoding = decoded.saturating_add(self.encoding_bytes());
        let peak = self.bytes_before_output().max(encoding);
        self.with_fixed_bytes(peak)
    }

    /// Returns the peak of the steps from decoding to resizing.
    fn bytes_before_output(&self) -> u64 {
        let with_pixels = [
            self.decoded.working_bytes,
            self.orienting_bytes(),
            self.cropping_bytes(),
            self.covering_bytes(),
            self.resizing_bytes(),
        ];
        let working = with_pixels.into_iter().max().unwrap_or(0);
        self.decoded.bytes().saturating_add(working)
    }

    fn with_fixed_bytes(&self, peak: u64) -> u64 {
        let peak = peak.saturating_add(FIXED_BYTES);
        if self.has_watermark {
            let layer = MAX_WATERMARK_PIXELS * LAYER_PIXEL_BYTES;
            peak.saturating_add(layer).max(LAYER_DECODING_BYTES)
        } else {
            peak
        }
    }

    /// Returns the memory of rotating the largest layer.
    fn orienting_bytes(&self) -> u64 {
        if self.swaps_sides {
            self.decoded.largest_bytes()
        } else {
            0
        }
    }

    /// Returns the memory of finding the most salient part in a small copy.
    fn cropping_bytes(&self) -> u64 {
        if self.focus != Some(Focus::Auto) {
            return 0;
        }
        let map = Dimensions {
            width: self.geometry.resized.width.min(MAP_SIDE),
            height: self.geometry.resized.height.min(MAP_SIDE),
        };
        self.layers_bytes(&ResizedPart {
            resized: map,
            output: map,
            support: Support::One,
        })
    }

    /// Returns the memory of compositing the watermark over the decoded pixels. Its copies in the
    /// resolution of the layers take no more than resizing it.
    fn covering_bytes(&self) -> u64 {
        if self.has_watermark {
            layer_bytes(self.image_pixels)
        } else {
            0
        }
    }

    fn resizing_bytes(&self) -> u64 {
        if self.keeps_pixels() {
            return 0;
        }
        self.layers_bytes(&ResizedPart {
            resized: self.geometry.resized,
            output: self.geometry.output(),
            support: Support::Three,
        })
    }

    /// Returns the memory of resizing one layer after the other, and of joining them.
    fn layers_bytes(&self, part: &ResizedPart) -> u64 {
        let output = part.output.pixels();
        let mut finished = 0_u64;
        let mut peak = 0_u64;
        for plane in &self.decoded.planes {
            let resized = output.saturating_mul(plane.channels.count() as u64);
            finished = finished.saturating_add(resized);
            let resizing = resizing_bytes(&self.displayed(plane), part);
            peak = peak.max(finished.saturating_add(resizing));
        }

        let joined = if self.decoded.planes.len() == 1 {
            0
        } else {
            finished
        };
        peak.max(finished.saturating_add(joined))
    }

    /// Returns the memory of the output with a repeated watermark and its encoder.
    fn encoding_bytes(&self) -> u64 {
        let size = self.geometry.output();
        let channels = self.decoded.channels();
        let pixels = if self.keeps_pixels() {
            self.decoded.bytes()
        } else {
            size.pixels().saturating_mul(channels.count() as u64)
        };
        let encoding = encoding_bytes(self.format, size, channels, self.quality);
        let is_cropped = size != self.geometry.resized;
        let repeating = if self.has_watermark && is_cropped {
            layer_bytes(size.pixels())
        } else {
            0
        };
        pixels.saturating_add(encoding.max(repeating))
    }

    /// Whether the decoded pixels are the output.
    fn keeps_pixels(&self) -> bool {
        let [plane] = &self.decoded.planes[..] else {
            return false;
        };
        let size = self.displayed(plane).size;
        size == self.geometry.resized && size == self.geometry.output()
    }

    /// Returns a layer after it is rotated.
    fn displayed(&self, plane: &DecodedPlane) -> DecodedPlane {
        if self.swaps_sides {
            DecodedPlane {
                size: Dimensions {
                    width: plane.size.height,
                    height: plane.size.width,
                },
                ..*plane
            }
        } else {
            *plane
        }
    }
}

/// Returns the memory of resizing a watermark to its size in an image with this number of pixels.
fn layer_bytes(image_pixels: u64) -> u64 {
    // Neither side of the fitted layer is longer than that of the watermark or of the image, and an
    // image with few pixels in a row has many rows.
    let intermediate = MAX_WATERMARK_PIXELS;
    (MAX_WATERMARK_PIXELS + intermediate) * LAYER_PIXEL_BYTES + fitted_bytes(image_pixels)
}

/// Returns the memory of a watermark in its size in an image with this number of pixels.
fn fitted_bytes(image_pixels: u64) -> u64 {
    image_pixels.min(MAX_WATERMARK_PIXELS) * LAYER_PIXEL_BYTES
}
