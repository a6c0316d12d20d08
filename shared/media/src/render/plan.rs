//! Plans of renderings: geometry, memory and time, checked before a pixel is decoded.

use domain::{
    naming::ImageSize,
    renditions::{Quality, Resize},
};

use crate::{
    animation::rendered_frames,
    decode::{Shrink, require_decodable_size},
    encode::{JPEG_FULL_CHROMA_QUALITY, quality, require_avif_limit, require_side_of_format},
    error::MediaError,
    estimate::{DecodingCost, MAX_RENDERING_MILLISECONDS, StillOutput, Work, animation_bytes},
    format::Format,
    probe::{ImageInfo, probe_whole},
};

use super::{Geometry, RenderOptions, geometry, resize::Chroma};

#[derive(Clone, Copy, Debug)]
pub struct PlanOptions {
    /// Size of the output; `None` keeps the size of the image.
    pub resize: Option<Resize>,
    /// Target format: JPEG, PNG, WebP, AVIF or GIF.
    pub format: Format,
    /// Quality; ignored by PNG and GIF.
    pub quality: Quality,
    /// Whether a watermark is composited.
    pub has_watermark: bool,
}

impl From<&RenderOptions<'_>> for PlanOptions {
    fn from(options: &RenderOptions) -> PlanOptions {
        PlanOptions {
            resize: options.resize,
            format: options.format,
            quality: options.quality,
            has_watermark: options.watermark.is_some(),
        }
    }
}

/// A rendering within all limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderPlan {
    /// Size of the output, and the part of the image that is kept.
    pub geometry: Geometry,
    /// Estimated peak memory in addition to the file, in bytes.
    pub memory_bytes: u64,
    /// Estimated time on one core, in milliseconds. Of an animation, without decoding, and not
    /// limited: the pixels of all its frames are.
    pub milliseconds: u64,
    /// Number of rendered frames; 1 for still images.
    pub frames: u32,
    pub(super) decoding: Decoding,
    pub(super) work: Work,
}

impl RenderPlan {
    /// Returns the resolution of chroma that the encoder keeps.
    pub(super) fn chroma(&self) -> Chroma {
        let is_half = self.work.quality < JPEG_FULL_CHROMA_QUALITY;
        if self.work.format == Format::Jpeg && is_half {
            Chroma::Half
        } else {
            Chroma::Full
        }
    }
}

/// How an image is decoded for an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decoding {
    /// How much the image is shrunk while it is decoded.
    pub(super) shrink: Shrink,
    /// Whether no side is enlarged and at least one is reduced.
    pub(super) is_downscaled: bool,
    /// Whether a watermark is composited over the decoded pixels.
    pub(super) is_marked: bool,
}

impl Decoding {
    /// Returns the decoding that serves two outputs.
    pub(super) fn for_both(self, other: Decoding) -> Decoding {
        let is_larger = self.shrink.divisor() < other.shrink.divisor();
        Decoding {
            shrink: if is_larger { self.shrink } else { other.shrink },
            is_downscaled: self.is_downscaled && other.is_downscaled,
            is_marked: self.is_marked || other.is_marked,
        }
    }
}

/// A complete file whose headers are read.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    bytes: &'a [u8],
    info: ImageInfo,
    pub(super) cost: DecodingCost,
}

impl<'a> Source<'a> {
    /// Reads the headers.
    ///
    /// Fails if the file is truncated or malformed, or has a format that cannot be decoded, or if
    /// the image exceeds the limit of sides, pixels or code tables.
    pub fn read(bytes: &'a [u8]) -> Result<Source<'a>, MediaError> {
        let info = probe_whole(bytes)?;
        require_decodable_size(&info)?;
        let cost = DecodingCost::read(bytes, &info)?;
        Ok(Source { bytes, info, cost })
    }

    /// Returns the properties of the image.
    pub fn info(&self) -> &ImageInfo {
        &self.info
    }

    /// Plans a rendering.
    ///
    /// Fails with `OutputTooLarge`, `DimensionsTooLarge`, `TooManyPixelsForFormat`,
    /// `AnimationTooLarge` or `AnimatedOutputTooLarge` if a limit is exceeded, and with
    /// `DecodingTooSlow` or `RenderingTooSlow` if it would take too long.
    pub fn plan(&self, options: &PlanOptions) -> Result<RenderPlan, MediaError> {
        let image = self.info.displayed();
        let geometry = geometry::plan(image, options.resize)?;
        let output = geometry.output();
        let quality = quality(options.quality, output.width, output.height);
        require_side_of_format(options.format, output)?;
        if options.format == Format::Avif {
            require_avif_limit(output)?;
        }

        let frames = rendered_frames(self.bytes, &self.info, options.format, output)?;
        let is_downscaled = is_downscaled(image, geometry.resized);
        let decoding = Decoding {
            shrink: if is_downscaled && self.info.format == Format::Jpeg {
                shrink(image, geometry.resized)
            } else {
                Shrink::None
            },
            is_downscaled,
            is_marked: options.has_watermark,
        };
        let work = Work {
            output,
            format: options.format,
            quality,
            has_alpha: self.info.has_alpha,
        };
        if frames > 1 {
            return Ok(RenderPlan {
                geometry,
                memory_bytes: animation_bytes(&self.info, output, frames, options.has_watermark),
                milliseconds: work.milliseconds(&self.info, frames),
                frames,
                decoding,
                work,
            });
        }

        let still = StillOutput {
            work,
            shrink: decoding.shrink,
            has_watermark: options.has_watermark,
            is_shared: false,
        };
        Ok(RenderPlan {
            geometry,
            memory_bytes: self.cost.peak_bytes(&self.info, &still),
            milliseconds: self.require_time(work)?,
            frames,
            decoding,
            work,
        })
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the estimated time. Fails if it exceeds the limit.
    fn require_time(&self, work: Work) -> Result<u64, MediaError> {
        let limit = MAX_RENDERING_MILLISECONDS;
        let decoding = self.cost.milliseconds;
        if decoding > limit {
            return Err(MediaError::DecodingTooSlow {
                milliseconds: decoding,
                limit,
            });
        }

        let milliseconds = decoding + work.milliseconds(&self.info, 1);
        if milliseconds > limit {
            return Err(MediaError::RenderingTooSlow {
                format: work.format,
                milliseconds,
                limit,
            });
        }
        Ok(milliseconds)
    }
}

/// Whether no side is enlarged and at least one is reduced.
fn is_downscaled(image: ImageSize, resized: ImageSize) -> bool {
    let is_smaller = resized.width < image.width || resized.height < image.height;
    is_smaller && resized.width <= image.width && resized.height <= image.height
}

/// Returns the shrink factor of a JPEG before it is resized.
fn shrink(image: ImageSize, resized: ImageSize) -> Shrink {
    let horizontal = image.width / resized.width;
    let vertical = image.height / resized.height;
    Shrink::for_ratio(horizontal.min(vertical))
}
