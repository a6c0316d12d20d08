//! What can be wrong with an image.

use thiserror::Error;

use crate::Format;

/// Why an image's header could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProbeError {
    /// It begins as none of the formats that are known here.
    #[error("not a known image format")]
    Unknown,
    /// The header goes on beyond what was given: nothing can be told before this many bytes of the
    /// file are there. With the whole file given, it ends early.
    #[error("at least {bytes} bytes of the image are needed")]
    NeedsMore {
        /// Bytes from the file's beginning, more than were given. A header may name any number, up
        /// to `u64::MAX`.
        bytes: u64,
    },
    /// The header contradicts its format.
    #[error("the image is malformed: {0}")]
    Malformed(&'static str),
}

/// Why an image could not be transformed. All but `Encoding` are faults of the image.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MediaError {
    /// The image ends before all of it has been read.
    #[error("the image ends early")]
    EndsEarly,
    /// The image contradicts its format.
    #[error("the image is malformed: {0}")]
    Malformed(String),
    /// More pixels than are decoded.
    #[error("the image has {pixels} pixels, more than {limit}")]
    TooManyPixels {
        /// Width times height, as the header says.
        pixels: u64,
        /// Most that are taken.
        limit: u64,
    },
    /// More scans than a JPEG needs, each of which would cost a pass over the whole image.
    #[error("the image has more than {0} scans")]
    TooManyScans(usize),
    /// A side that the format asked for cannot hold.
    #[error("an image of {width}×{height} pixels does not fit into {format:?}")]
    DoesNotFit {
        /// The format asked for.
        format: Format,
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// A format, or a kind of it, that is not decoded here.
    #[error("{0:?} is not decoded")]
    NotDecoded(Format),
    /// The encoder failed.
    #[error("encoding failed: {0}")]
    Encoding(String),
}

impl MediaError {
    /// A decoder's complaint, in its own words.
    #[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
    pub(crate) fn malformed(cause: impl ToString) -> MediaError {
        MediaError::Malformed(cause.to_string())
    }

    /// An encoder's complaint, in its own words.
    #[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
    pub(crate) fn encoding(cause: impl ToString) -> MediaError {
        MediaError::Encoding(cause.to_string())
    }
}

/// Of a whole image: what needs more bytes than there are ends early.
impl From<ProbeError> for MediaError {
    fn from(error: ProbeError) -> MediaError {
        match error {
            ProbeError::NeedsMore { .. } => MediaError::EndsEarly,
            ProbeError::Unknown | ProbeError::Malformed(_) => MediaError::malformed(error),
        }
    }
}
