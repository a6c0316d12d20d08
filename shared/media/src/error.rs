//! Errors of image processing.

use thiserror::Error;

use crate::format::Format;

/// Error of probing an image.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProbeError {
    /// The file has none of the supported formats.
    #[error("the image format is not supported")]
    UnknownFormat,
    /// The header needs more bytes than were passed. A complete file with this error is truncated.
    #[error("at least {bytes} bytes of the image are needed")]
    NeedsMore {
        /// Required number of bytes from the start of the file. Read from the header, so up to
        /// `u64::MAX`.
        bytes: u64,
    },
    /// The header contradicts its format.
    #[error("the image is malformed: {0}")]
    Malformed(&'static str),
}

/// Error of processing an image. All except `Encoding` and `Decoder` are caused by the image.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MediaError {
    /// The image is truncated.
    #[error("the image is truncated")]
    Truncated,
    /// The image contradicts its format.
    #[error("the image is malformed: {0}")]
    Malformed(String),
    /// A side of the image exceeds the limit.
    #[error("the image has {width}×{height} pixels, and a side may have {limit}")]
    SideTooLarge { width: u32, height: u32, limit: u32 },
    /// The image exceeds a pixel limit.
    #[error("the image has {pixels} pixels, more than {limit}")]
    TooManyPixels { pixels: u64, limit: u64 },
    /// The transformed image would exceed the pixel limit of outputs.
    #[error("the transformed image would have {pixels} pixels, more than {limit}")]
    OutputTooLarge { pixels: u64, limit: u64 },
    /// An animation has too many frames, or too many pixels in all frames.
    #[error("the animation has too many frames, or too many pixels in all frames")]
    AnimationTooLarge,
    /// The rendered animation would exceed the pixel limit of all its frames.
    #[error("the rendered animation would have {pixels} pixels, more than {limit}")]
    AnimatedOutputTooLarge {
        /// Width times height times frames.
        pixels: u64,
        limit: u64,
    },
    /// A JPEG has too many scans. Each scan takes a pass over the whole image.
    #[error("the image has more than {0} scans")]
    TooManyScans(usize),
    /// A side exceeds the maximum of the target format.
    #[error("{width}×{height} pixels exceed the maximum dimensions of {format:?}")]
    DimensionsTooLarge {
        format: Format,
        width: u32,
        height: u32,
    },
    /// The image to encode exceeds the pixel limit of the target format.
    #[error("an image of {pixels} pixels is larger than {limit}, the maximum of {format:?}")]
    TooManyPixelsForFormat {
        format: Format,
        pixels: u64,
        limit: u64,
    },
    /// Decoding would take too long, as estimated from the header.
    #[error("decoding would take {milliseconds} ms, more than {limit}")]
    DecodingTooSlow { milliseconds: u64, limit: u64 },
    /// Decoding, resizing and encoding together would take too long, as estimated from the header.
    #[error("rendering as {format:?} would take {milliseconds} ms, more than {limit}")]
    RenderingTooSlow {
        format: Format,
        milliseconds: u64,
        limit: u64,
    },
    /// Decoding took more processor time than any image within the limits of its headers.
    #[error("decoding took too much processor time")]
    DecodingTimedOut,
    /// The code tables of a lossless or transparent WebP exceed the memory limit.
    #[error("the code tables of the image take {bytes} bytes, more than {limit}")]
    TooManyCodes { bytes: u64, limit: u64 },
    /// The format, or a variant of it, cannot be decoded.
    #[error("{0:?} cannot be decoded")]
    UnsupportedFormat(Format),
    #[error("encoding failed: {0}")]
    Encoding(String),
    /// The process that decodes the format was not started, was ended, or had no time. Another
    /// attempt may succeed.
    #[error("the decoder is not available: {0}")]
    Decoder(String),
}

impl MediaError {
    /// Creates an error from that of a decoder.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "`map_err` passes it by value"
    )]
    pub(crate) fn malformed(cause: impl ToString) -> MediaError {
        MediaError::Malformed(cause.to_string())
    }

    /// Creates an error from that of an encoder.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "`map_err` passes it by value"
    )]
    pub(crate) fn encoding(cause: impl ToString) -> MediaError {
        MediaError::Encoding(cause.to_string())
    }
}

/// Converts an error of a complete image, which is truncated if it needs more bytes.
impl From<ProbeError> for MediaError {
    fn from(error: ProbeError) -> MediaError {
        match error {
            ProbeError::NeedsMore { .. } => MediaError::Truncated,
            ProbeError::UnknownFormat | ProbeError::Malformed(_) => MediaError::malformed(error),
        }
    }
}
