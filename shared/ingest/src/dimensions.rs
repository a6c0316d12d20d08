//! Rules for the dimensions of images.
//!
//! Invariant: dimensions are read from the header, without decoding a pixel.

use bytes::Bytes;
use domain::{FieldError, MediaType, ResourceType, ServiceError, ValidationRules};
use media::{Format, Frames, MediaError, ProbeError, Probed};

use crate::{FILE_BYTES, IngestError, Spooled, transform};

/// Bytes from an image's beginning that tell its dimensions, unless it has much to say before.
pub(crate) const BEGINNING_BYTES: u64 = 256 << 10;
/// Most bytes from an image's beginning that are read for its dimensions: as many as the largest
/// spooled file has.
pub(crate) const MEASURED_BYTES: u64 = FILE_BYTES;

/// Refuses a spooled image as [`require_dimensions`] does, one that has its header and stops before
/// its end, and one whose pixels are not those that its header tells of, as far as it is decoded
/// here.
pub(crate) async fn measure(
    spooled: &Spooled,
    media_type: &MediaType,
    rules: &ValidationRules,
) -> Result<(), IngestError> {
    if !is_measured(media_type, rules) {
        return Ok(());
    }
    require_dimensions(media_type, rules, |bytes| spooled.beginning(bytes)).await?;
    transform::with_image(spooled, decode).await
}

fn decode(bytes: &[u8]) -> Result<(), MediaError> {
    media::require_end(bytes)?;
    let probed = media::probe(bytes)?;
    if !Format::is_decoded(probed.format) || probed.frames != Frames::Still {
        return Ok(());
    }
    media::decode(bytes, &probed).map(drop)
}

/// Returns whether a config restricts the dimensions of such a file.
fn is_measured(media_type: &MediaType, rules: &ValidationRules) -> bool {
    media_type.resource_type == ResourceType::Image && has_rules(rules)
}

/// Returns whether a config restricts the dimensions of images.
pub(crate) fn has_rules(rules: &ValidationRules) -> bool {
    let limits = [
        rules.min_image_width,
        rules.max_image_width,
        rules.min_image_height,
        rules.max_image_height,
    ];
    limits.iter().any(Option::is_some)
}

/// Fails for an image whose displayed width or height is not within the rules, or not in its
/// header: that of a vector graphic never has them. Files that are not images pass.
///
/// `beginning` returns that many bytes from the file's beginning, or all if there are fewer:
/// [`BEGINNING_BYTES`], and if they do not suffice, at least twice as many, up to 50 MB.
pub(crate) async fn require_dimensions<Reading: Future<Output = Result<Bytes, ServiceError>>>(
    media_type: &MediaType,
    rules: &ValidationRules,
    beginning: impl Fn(u64) -> Reading,
) -> Result<(), IngestError> {
    if !is_measured(media_type, rules) {
        return Ok(());
    }
    let probed = probed(beginning)
        .await?
        .map_err(|_| FieldError::WrongDimensions)?;
    let (width, height) = probed.displayed();
    let fits = |side: u32, least: Option<u32>, most: Option<u32>| {
        least.is_none_or(|least| side >= least) && most.is_none_or(|most| side <= most)
    };
    if fits(width, rules.min_image_width, rules.max_image_width)
        && fits(height, rules.min_image_height, rules.max_image_height)
    {
        Ok(())
    } else {
        Err(FieldError::WrongDimensions.into())
    }
}

async fn probed<Reading: Future<Output = Result<Bytes, ServiceError>>>(
    beginning: impl Fn(u64) -> Reading,
) -> Result<Result<Probed, ProbeError>, ServiceError> {
    let mut wanted = BEGINNING_BYTES;
    loop {
        let read = beginning(wanted).await?;
        let is_whole = (read.len() as u64) < wanted;
        match media::probe(&read) {
            Err(ProbeError::NeedsMore { bytes }) if !is_whole && bytes <= MEASURED_BYTES => {
                // A header of many small parts asks for one after the other.
                wanted = bytes.max(2 * wanted).min(MEASURED_BYTES);
            }
            probed => return Ok(probed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const JPEG: [u8; 2] = [0xFF, 0xD8];
    /// A segment of nothing but its length.
    const EMPTY: [u8; 4] = [0xFF, 0xEF, 0, 2];
    /// The header of a frame, 30 pixels wide and 20 high.
    const FRAME: [u8; 11] = [0xFF, 0xC0, 0, 9, 8, 0, 20, 0, 30, 1, 0];

    /// How often such a file was read for its dimensions, and what came of it.
    async fn measured(file: Vec<u8>, least: u32, most: u32) -> (usize, bool) {
        let media_type = Format::Jpeg.media_type();
        let rules = ValidationRules {
            min_image_width: Some(least),
            max_image_height: Some(most),
            ..ValidationRules::default()
        };
        let reads = Mutex::new(0);
        let file = Bytes::from(file);
        let fits = require_dimensions(&media_type, &rules, |bytes| {
            *reads.lock().expect("not poisoned") += 1;
            let length = usize::try_from(bytes).expect("small").min(file.len());
            std::future::ready(Ok(file.slice(..length)))
        })
        .await;
        (reads.into_inner().expect("not poisoned"), fits.is_ok())
    }

    #[tokio::test]
    async fn as_much_is_read_as_the_header_asks_for_and_few_times() {
        let with = |segments: usize| [&JPEG[..], &EMPTY.repeat(segments), &FRAME].concat();
        assert_eq!(measured(with(0), 30, 20).await, (1, true));
        assert_eq!(measured(with(0), 31, 20).await, (1, false));
        assert_eq!(measured(with(0), 30, 19).await, (1, false));
        assert_eq!(measured(with(65_535), 30, 20).await, (2, true));
        assert_eq!(measured(with(2_000_000), 30, 20).await, (6, true));
        // It ends, or goes on, beyond what is read for it.
        assert_eq!(measured(JPEG.to_vec(), 1, 100).await, (1, false));
        assert_eq!(measured(with(14_000_000), 30, 20).await, (9, false));
    }
}
