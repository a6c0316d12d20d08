//! Transforms images as their upload config says, before they are stored.
//!
//! Invariants:
//! - The type, the size, the digest and the bytes that are returned belong together.
//! - One process works on one image at a time, so that its memory is bounded: an image may take 1.8
//!   GB.

use domain::{FieldError, MediaType, ResourceType, ServiceError, TransformationRules};
use media::{Format, Incoming, MediaError};
use tokio::sync::Semaphore;

use crate::{FILE_BYTES, IngestError, Spool, Spooled};

/// The turn of an image among all of the process.
static TURN: Semaphore = Semaphore::const_new(1);

/// Bytes of a transformed image that are hashed and spooled at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Returns a file as its config wants it stored: as it is, or other bytes and their type.
///
/// JPEG, PNG, GIF and WebP are transformed; if they are animated, only their metadata is removed.
/// Every other file passes unchanged: other images too, unless their metadata is to be removed,
/// which cannot be.
///
/// Fails for an image that ends early, contradicts its header, or has more pixels than are decoded
/// or encoded, and for one that would become larger than any file may be.
pub(crate) async fn transformed(
    spooled: Spooled,
    media_type: MediaType,
    rules: &TransformationRules,
) -> Result<(Spooled, MediaType), IngestError> {
    if media_type.resource_type != ResourceType::Image {
        return Ok((spooled, media_type));
    }
    if rules.strip_metadata && !Format::of(spooled.head()).is_some_and(Format::is_decoded) {
        return Err(FieldError::Must("must be of a format whose metadata can be removed").into());
    }
    if !media::is_subject(spooled.head(), rules) {
        return Ok((spooled, media_type));
    }

    let rules = rules.clone();
    match with_image(&spooled, move |bytes| media::incoming(bytes, &rules)).await? {
        Incoming::Unchanged => Ok((spooled, media_type)),
        Incoming::Changed(changed) => {
            Ok((spooled_again(&changed.bytes).await?, changed.media_type))
        }
    }
}

/// Runs work on the bytes of an image on a thread of its own. Work that nobody awaits any more goes
/// on to its end, since no codec can be stopped, and keeps its turn until then.
pub(crate) async fn with_image<T: Send + 'static>(
    spooled: &Spooled,
    work: impl FnOnce(&[u8]) -> Result<T, MediaError> + Send + 'static,
) -> Result<T, IngestError> {
    let turn = TURN.acquire().await.map_err(ServiceError::internal)?;
    let bytes = spooled.beginning(FILE_BYTES).await?;
    let working = tokio::task::spawn_blocking(move || {
        let worked = work(&bytes);
        drop((bytes, turn));
        worked
    });
    working
        .await
        .map_err(ServiceError::internal)?
        .map_err(refused)
}

async fn spooled_again(bytes: &[u8]) -> Result<Spooled, IngestError> {
    if bytes.len() as u64 > FILE_BYTES {
        return Err(
            FieldError::Must("must not be greater than 50 MB once it is transformed").into(),
        );
    }
    let mut spool = Spool::default();
    for chunk in bytes.chunks(CHUNK_BYTES) {
        spool.write(chunk).await?;
    }
    Ok(spool.finish().await?)
}

/// Returns the field error of an image that cannot be used.
fn refused(error: MediaError) -> IngestError {
    let field_error = match error {
        MediaError::EndsEarly => FieldError::Must("must be a whole image, and ends early"),
        MediaError::Malformed(_) | MediaError::NotDecoded(_) => {
            FieldError::Must("must be an image that can be decoded")
        }
        MediaError::TooManyPixels { limit, .. } => FieldError::TooManyPixels(limit),
        MediaError::TooManyScans(_) => FieldError::Must("must be an image of fewer scans"),
        MediaError::DoesNotFit { .. } => {
            FieldError::Must("must fit into the format that it is converted to")
        }
        error @ MediaError::Encoding(_) => return ServiceError::internal(error).into(),
    };
    field_error.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_becomes_too_large_is_refused() {
        let mut bytes = vec![0; 50 << 20];
        assert_eq!(
            spooled_again(&bytes)
                .await
                .expect("as large as a file may be")
                .size(),
            50 << 20
        );
        bytes.push(0);
        assert!(matches!(
            spooled_again(&bytes).await,
            Err(IngestError::FieldError(_))
        ));
    }
}
