//! What a config asks to be made of an image before it is stored.
//!
//! Invariant: the type, the size, the digest and the bytes that come out belong together, and one process transforms one
//! image at a time, so that its memory is bounded.

use domain::{Fault, MediaType, ResourceType, TransformationRules, Violation};
use media::{Format, Incoming, MediaError};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{FILE_BYTES, IngestError, Spool, Spooled};

/// Whose turn it is. Memory is the process's, and so is its bound: one image may take 1.8 GB.
pub(crate) static TURN: Semaphore = Semaphore::const_new(1);

/// Bytes of a transformed image that are hashed and spooled at once.
const CHUNK_BYTES: usize = 256 << 10;

/// The image as its config wants it stored: as it came, or other bytes and their type.
///
/// JPEG, PNG, GIF and WebP are transformed; where they are animated, nothing but their metadata is removed. Every other
/// file passes as it is: other images too, unless their metadata is to be removed, which cannot be.
///
/// An image that ends early, contradicts its header, or has more pixels than are decoded or encoded is refused, as is one
/// that would become larger than any file may be. Work that nobody waits for any more goes on to its end, since no codec
/// can be stopped, and has no effect.
pub(crate) async fn transformed(
    spooled: Spooled,
    media_type: MediaType,
    rules: &TransformationRules,
) -> Result<(Spooled, MediaType), IngestError> {
    demand_possible(&media_type, spooled.head(), rules)?;
    if !is_asked(&media_type, spooled.head(), rules) {
        return Ok((spooled, media_type));
    }
    let turn = TURN.acquire().await.map_err(Fault::internal)?;
    let (made, _turn) = made(&spooled, rules.clone(), turn).await?;
    match made.map_err(refused)? {
        Incoming::Unchanged => Ok((spooled, media_type)),
        Incoming::Changed(changed) => Ok((spooled_again(&changed.bytes).await?, changed.media_type)),
    }
}

/// Refuses an image whose metadata is to be removed, and cannot be: nobody is to find a place in it later.
fn demand_possible(media_type: &MediaType, head: &[u8], rules: &TransformationRules) -> Result<(), Violation> {
    let is_image = media_type.resource_type == ResourceType::Image;
    if rules.strip_metadata && is_image && !Format::of(head).is_some_and(Format::is_decoded) {
        return Err(Violation::Must("must be of a format whose metadata can be removed"));
    }
    Ok(())
}

/// Whether anything is to be made of a file that begins so.
fn is_asked(media_type: &MediaType, head: &[u8], rules: &TransformationRules) -> bool {
    media_type.resource_type == ResourceType::Image && media::is_subject(head, rules)
}

type Made = Result<Incoming, MediaError>;

/// What becomes of the bytes. The turn is kept until then even if nobody waits any more.
async fn made(
    spooled: &Spooled,
    rules: TransformationRules,
    turn: SemaphorePermit<'static>,
) -> Result<(Made, SemaphorePermit<'static>), Fault> {
    let bytes = spooled.beginning(FILE_BYTES).await?;
    let making = tokio::task::spawn_blocking(move || (media::incoming(&bytes, &rules), turn));
    making.await.map_err(Fault::internal)
}

async fn spooled_again(bytes: &[u8]) -> Result<Spooled, IngestError> {
    if bytes.len() as u64 > FILE_BYTES {
        return Err(Violation::Must("must not be greater than 50 MB once it is transformed").into());
    }
    let mut spool = Spool::default();
    for chunk in bytes.chunks(CHUNK_BYTES) {
        spool.write(chunk).await?;
    }
    Ok(spool.finish().await?)
}

/// What is said of an image that cannot be used.
pub(crate) fn refused(error: MediaError) -> IngestError {
    let violation = match error {
        MediaError::EndsEarly => Violation::Must("must be a whole image, and ends early"),
        MediaError::Malformed(_) | MediaError::NotDecoded(_) => Violation::Must("must be an image that can be decoded"),
        MediaError::TooManyPixels { limit, .. } => Violation::TooManyPixels(limit),
        MediaError::TooManyScans(_) => Violation::Must("must be an image of fewer scans"),
        MediaError::DoesNotFit { .. } => Violation::Must("must fit into the format that it is converted to"),
        error @ MediaError::Encoding(_) => return Fault::internal(error).into(),
    };
    violation.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_becomes_too_large_is_refused() {
        let mut bytes = vec![0; 50 << 20];
        assert_eq!(spooled_again(&bytes).await.expect("as large as a file may be").size(), 50 << 20);
        bytes.push(0);
        assert!(matches!(spooled_again(&bytes).await, Err(IngestError::Violation(_))));
    }
}
