//! Reads the dimensions of images, and validates them if the upload config restricts them.
//!
//! Invariants:
//! - The dimensions are those in the image's header, as displayed (after EXIF orientation).
//! - A spooled image is not truncated. A spooled still image in a format that [`media`] decodes is
//!   also decoded, so that a header that contradicts the pixels is rejected.
//! - Of an image over 50 MB, which is not spooled, only the header is read.

use bytes::Bytes;
use domain::{
    errors::{FieldError, ServiceError},
    files::{Decoders, MediaType, ResourceType},
    naming::ImageSize,
    uploads::ValidationRules,
};
use media::{
    error::{MediaError, ProbeError},
    format::Format,
    probe::{Frames, ImageInfo},
};

use crate::{IngestError, MAX_FORM_FILE_BYTES, Spooled, UploadContext, transform};

/// Number of bytes that are first read for an image's header. Most headers fit.
pub(crate) const PREFIX_BYTES: u64 = 256 << 10;
/// Maximum number of bytes that are read for an image's header: the largest spooled file.
pub(crate) const MAX_PREFIX_BYTES: u64 = MAX_FORM_FILE_BYTES;

/// Validates a spooled image: fails like [`require_dimensions`], and if the image is truncated or
/// its pixels contradict its header. Does nothing if the rules do not restrict dimensions.
pub(crate) async fn validate_image(
    spooled: &Spooled,
    media_type: &MediaType,
    context: UploadContext<'_>,
) -> Result<(), IngestError> {
    let rules = &context.rules.validation;
    if !is_restricted(media_type, rules) {
        return Ok(());
    }

    require_dimensions(media_type, rules, |bytes| spooled.prefix(bytes)).await?;
    let decoders = context.decoders;
    transform::run_on_image(spooled, move |bytes| decode(bytes, decoders)).await
}

fn decode(bytes: &[u8], decoders: Decoders) -> Result<(), MediaError> {
    let probed = media::probe::probe_whole(bytes)?;
    // A JPEG may lack its end marker. Its pixels show whether it is complete.
    if probed.format != Format::Jpeg {
        media::completeness::require_complete(bytes)?;
    }
    let is_decoded = Format::is_decodable(probed.format) && probed.format.is_permitted_by(decoders);
    if !is_decoded || probed.frames != Frames::Still {
        return Ok(());
    }
    media::decode::decode(bytes, &probed).map(drop)
}

/// Returns whether the rules restrict the dimensions of files of this type.
fn is_restricted(media_type: &MediaType, rules: &ValidationRules) -> bool {
    media_type.resource_type == ResourceType::Image && has_rules(rules)
}

/// Returns whether the rules restrict the dimensions of images.
pub(crate) fn has_rules(rules: &ValidationRules) -> bool {
    let limits = [
        rules.min_image_width,
        rules.max_image_width,
        rules.min_image_height,
        rules.max_image_height,
    ];
    limits.iter().any(Option::is_some)
}

/// Fails for an image whose displayed width or height breaks the rules, or whose header has no
/// dimensions, as those of vector graphics. Files that are not images pass.
///
/// `read_prefix` returns the given number of bytes from the file's start, or all of them if there
/// are fewer. It is called with [`PREFIX_BYTES`], then with at least twice as many each time, up to
/// [`MAX_PREFIX_BYTES`], until the header is complete.
pub(crate) async fn require_dimensions<Prefix>(
    media_type: &MediaType,
    rules: &ValidationRules,
    read_prefix: impl Fn(u64) -> Prefix,
) -> Result<(), IngestError>
where
    Prefix: Future<Output = Result<Bytes, ServiceError>>,
{
    if !is_restricted(media_type, rules) {
        return Ok(());
    }

    let probed = probe(read_prefix).await?;
    let ImageSize { width, height } = probed.displayed();
    let is_within = |side: u32, min: Option<u32>, max: Option<u32>| {
        min.is_none_or(|min| side >= min) && max.is_none_or(|max| side <= max)
    };
    if is_within(width, rules.min_image_width, rules.max_image_width)
        && is_within(height, rules.min_image_height, rules.max_image_height)
    {
        Ok(())
    } else {
        Err(FieldError::WrongDimensions {
            width,
            height,
            bounds: bounds_text(rules),
        }
        .into())
    }
}

/// Returns the size in the header of a spooled image; `None` if there is none, and for other files.
pub(crate) async fn spooled_size(
    spooled: &Spooled,
    media_type: &MediaType,
) -> Result<Option<ImageSize>, ServiceError> {
    if media_type.resource_type != ResourceType::Image {
        return Ok(None);
    }
    match probe(|bytes| spooled.prefix(bytes)).await {
        Ok(probed) => Ok(Some(probed.displayed())),
        Err(IngestError::FieldError(_)) => Ok(None),
        Err(IngestError::Service(error)) => Err(error),
    }
}

/// Returns the size in the header of an image; `None` if the prefix of the file does not contain
/// it, and for other files.
pub(crate) fn size_in_prefix(prefix: &[u8], media_type: &MediaType) -> Option<ImageSize> {
    if media_type.resource_type != ResourceType::Image {
        return None;
    }
    media::probe::probe(prefix)
        .ok()
        .map(|probed| probed.displayed())
}

/// Returns the bounds of dimensions in words: "a width of at least 10 and at most 20".
fn bounds_text(rules: &ValidationRules) -> String {
    let side = |name: &str, min: Option<u32>, max: Option<u32>| {
        let bound = |words: &str, side: u32| format!("{words} {side}");
        let min = min.map(|min| bound("at least", min));
        let max = max.map(|max| bound("at most", max));
        let bounds: Vec<String> = min.into_iter().chain(max).collect();
        (!bounds.is_empty()).then(|| format!("a {name} of {}", bounds.join(" and ")))
    };

    let width = side("width", rules.min_image_width, rules.max_image_width);
    let height = side("height", rules.min_image_height, rules.max_image_height);
    let sides: Vec<String> = width.into_iter().chain(height).collect();
    sides.join(", and ")
}

/// Reads an image's header. Fails if it is malformed or not within the longest prefix.
async fn probe<Prefix>(read_prefix: impl Fn(u64) -> Prefix) -> Result<ImageInfo, IngestError>
where
    Prefix: Future<Output = Result<Bytes, ServiceError>>,
{
    let mut length = PREFIX_BYTES;

    loop {
        let prefix = read_prefix(length).await?;
        let is_complete = (prefix.len() as u64) < length;

        match media::probe::probe(&prefix) {
            Ok(probed) => return Ok(probed),
            Err(ProbeError::NeedsMore { bytes }) if !is_complete && bytes <= MAX_PREFIX_BYTES => {
                // At least twice as many: a header of many small segments asks for one at a time.
                length = bytes.max(2 * length).min(MAX_PREFIX_BYTES);
            }
            // What is missing behind the pixels of a whole file does not matter.
            Err(_) => {
                let whole = media::probe::probe_whole(&prefix)
                    .ok()
                    .filter(|_| is_complete);
                return whole.ok_or_else(|| FieldError::NoDimensions.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const JPEG_START: [u8; 2] = [0xFF, 0xD8];
    /// A segment of 4 bytes without content.
    const EMPTY_SEGMENT: [u8; 4] = [0xFF, 0xEF, 0, 2];
    /// The headers of a frame of 30 × 20 pixels and of its scan.
    const FRAME: [u8; 15] = [0xFF, 0xC0, 0, 9, 8, 0, 20, 0, 30, 1, 0, 0xFF, 0xDA, 0, 2];

    #[derive(Debug, PartialEq, Eq)]
    struct Measured {
        reads: usize,
        is_accepted: bool,
    }

    fn accepted_after(reads: usize) -> Measured {
        Measured {
            reads,
            is_accepted: true,
        }
    }

    fn rejected_after(reads: usize) -> Measured {
        Measured {
            reads,
            is_accepted: false,
        }
    }

    async fn measure(file: Vec<u8>, min_width: u32, max_height: u32) -> Measured {
        let media_type = Format::Jpeg.media_type();
        let rules = ValidationRules {
            min_image_width: Some(min_width),
            max_image_height: Some(max_height),
            ..ValidationRules::default()
        };
        let reads = Mutex::new(0);
        let file = Bytes::from(file);
        let read_prefix = |bytes| {
            *reads.lock().expect("the lock is not poisoned") += 1;
            let length = usize::try_from(bytes).expect("a length in memory");
            std::future::ready(Ok(file.slice(..length.min(file.len()))))
        };

        let result = require_dimensions(&media_type, &rules, read_prefix).await;

        Measured {
            reads: reads.into_inner().expect("the lock is not poisoned"),
            is_accepted: result.is_ok(),
        }
    }

    fn jpeg_with_segments(count: usize) -> Vec<u8> {
        [&JPEG_START[..], &EMPTY_SEGMENT.repeat(count), &FRAME].concat()
    }

    #[tokio::test]
    async fn dimensions_are_compared_with_the_limits() {
        assert_eq!(
            measure(jpeg_with_segments(0), 30, 20).await,
            accepted_after(1)
        );
        assert_eq!(
            measure(jpeg_with_segments(0), 31, 20).await,
            rejected_after(1)
        );
        assert_eq!(
            measure(jpeg_with_segments(0), 30, 19).await,
            rejected_after(1)
        );
    }

    #[tokio::test]
    async fn number_of_reads_grows_with_the_logarithm_of_the_header() {
        assert_eq!(
            measure(jpeg_with_segments(65_535), 30, 20).await,
            accepted_after(2)
        );
        assert_eq!(
            measure(jpeg_with_segments(2_000_000), 30, 20).await,
            accepted_after(6)
        );
    }

    #[tokio::test]
    async fn header_that_is_truncated_or_longer_than_50_mb_is_rejected() {
        assert_eq!(
            measure(JPEG_START.to_vec(), 1, 100).await,
            rejected_after(1)
        );
        assert_eq!(
            measure(jpeg_with_segments(14_000_000), 30, 20).await,
            rejected_after(9)
        );
    }
}
