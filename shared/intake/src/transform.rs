//! Transforms images before they are stored, as configured in their upload config.
//!
//! Invariants:
//! - The returned type, size, digest and bytes belong to the same image.
//! - A process decodes one image at a time, since one image may take 1.8 GB of memory.

use bytes::Bytes;
use domain::{
    errors::{FieldError, ServiceError},
    files::{Decoders, MediaType, ResourceType},
    uploads::TransformationRules,
};
use media::{error::MediaError, format::Format, transform::TransformOutcome};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use crate::{IngestError, MAX_FORM_FILE_BYTES, Spool, Spooled, UploadContext};

/// Permits one image of the process at a time to be decoded.
static IMAGE_PERMIT: Semaphore = Semaphore::const_new(1);

/// Maximum size of an image whose metadata is removed, in bytes: 256 MB. It is held in memory
/// twice. At 60 MB per second, reading and storing it take 9 of the 29 seconds that a request has.
pub(crate) const MAX_STRIPPED_BYTES: u64 = 256 << 20;

/// The error of an image that is larger than [`MAX_FORM_FILE_BYTES`] and has to be converted.
const TOO_LARGE_TO_CONVERT: FieldError =
    FieldError::Custom("must not be greater than 50 MB, because the upload config converts images");
/// The error of an image that is larger than [`MAX_STRIPPED_BYTES`].
const TOO_LARGE_TO_STRIP: FieldError = FieldError::Custom(
    "must not be greater than 256 MB, because the upload config transforms images",
);

/// Number of bytes of a transformed image that are spooled at once.
const CHUNK_BYTES: usize = 256 << 10;

/// The bytes that are stored, with their type.
#[derive(Debug)]
pub(crate) struct TransformedFile {
    pub(crate) spooled: Spooled,
    pub(crate) media_type: MediaType,
}

/// Transforms a file by the rules of its config.
///
/// JPEG, PNG, GIF, WebP, HEIC and AVIF are transformed; of animated images, only the metadata is
/// removed. Other files are returned unchanged.
///
/// Fails if metadata is to be removed from an image of another format, or from a HEIC or AVIF that
/// is not converted, if the image is truncated, malformed or over the pixel limits, and if the
/// result is larger than 50 MB.
pub(crate) async fn transform(
    spooled: Spooled,
    media_type: MediaType,
    context: UploadContext<'_>,
) -> Result<TransformedFile, IngestError> {
    let rules = &context.rules.transformations;
    let unchanged = TransformedFile {
        spooled,
        media_type,
    };
    if !is_transformable(
        &unchanged.media_type,
        unchanged.spooled.head(),
        rules,
        context.decoders,
    )? {
        return Ok(unchanged);
    }

    let rules = rules.clone();
    let transformed = run_on_image(&unchanged.spooled, move |bytes| {
        media::transform::transform(bytes, &rules)
    })
    .await?;
    match transformed {
        TransformOutcome::Unchanged => Ok(unchanged),
        TransformOutcome::Transformed(changed) => Ok(TransformedFile {
            spooled: spool(&changed.bytes).await?,
            media_type: changed.media_type,
        }),
    }
}

/// Returns whether the rules can change a file with these first bytes. Fails if metadata is to be
/// removed from an image of a format that does not permit it, or is not decoded.
fn is_transformable(
    media_type: &MediaType,
    head: &[u8],
    rules: &TransformationRules,
    decoders: Decoders,
) -> Result<bool, FieldError> {
    if media_type.resource_type != ResourceType::Image {
        return Ok(false);
    }
    let decoded = Format::detect(head).filter(|format| format.is_permitted_by(decoders));
    let is_removable = |format| media::transform::can_remove_metadata(format, rules);
    if rules.strip_metadata && !decoded.is_some_and(is_removable) {
        return Err(FieldError::Custom(
            "must be of a format whose metadata can be removed",
        ));
    }
    Ok(decoded.is_some() && media::transform::can_transform(head, rules))
}

/// A validated file over 50 MB.
pub(crate) struct LargeFile<'a> {
    /// The type of the bytes.
    pub(crate) media_type: &'a MediaType,
    pub(crate) size: u64,
    pub(crate) head: &'a [u8],
    pub(crate) decoders: Decoders,
}

/// An image over 50 MB without its metadata.
pub(crate) struct LargeImage {
    pub(crate) bytes: Bytes,
    pub(crate) checksum_sha256: String,
    pub(crate) media_type: MediaType,
}

/// Removes the metadata of an image over 50 MB by the rules of its config, without decoding it.
/// Returns `None` if nothing changes. `read` returns the complete image.
///
/// Fails if the rules convert the image, if it is larger than 256 MB, truncated or malformed, and
/// if metadata is to be removed from an image of another format than JPEG, PNG, GIF and WebP.
pub(crate) async fn transform_large<Reading>(
    file: LargeFile<'_>,
    rules: &TransformationRules,
    read: impl FnOnce() -> Reading,
) -> Result<Option<LargeImage>, IngestError>
where
    Reading: Future<Output = Result<Bytes, ServiceError>>,
{
    if !is_transformable(file.media_type, file.head, rules, file.decoders)? {
        return Ok(None);
    }
    if file.size > MAX_STRIPPED_BYTES {
        return Err(TOO_LARGE_TO_STRIP.into());
    }

    let rules = rules.clone();
    let transformed = run_on_bytes(read, move |bytes| {
        let outcome = media::transform::transform_undecoded(bytes, &rules)?;
        Ok(outcome.map(LargeImage::of))
    });
    transformed
        .await?
        .ok_or_else(|| TOO_LARGE_TO_CONVERT.into())
}

impl LargeImage {
    fn of(outcome: TransformOutcome) -> Option<LargeImage> {
        match outcome {
            TransformOutcome::Unchanged => None,
            TransformOutcome::Transformed(image) => Some(LargeImage {
                checksum_sha256: hex::encode(Sha256::digest(&image.bytes)),
                media_type: image.media_type,
                bytes: image.bytes.into(),
            }),
        }
    }
}

/// Fails if a declared image is larger than an image that the rules can be applied to, with these
/// decoders.
pub(crate) fn require_size(
    mime_type: &str,
    size: u64,
    rules: &TransformationRules,
    decoders: Decoders,
) -> Result<(), FieldError> {
    let formats = [
        Format::Jpeg,
        Format::Png,
        Format::Gif,
        Format::WebP,
        Format::Heic,
        Format::Avif,
    ];

    let declared = formats.into_iter().find(|format| {
        format.is_permitted_by(decoders) && format.media_type().mime_type == mime_type
    });

    match declared {
        Some(format)
            if size > MAX_FORM_FILE_BYTES && media::transform::converts_all(format, rules) =>
        {
            Err(TOO_LARGE_TO_CONVERT)
        }
        Some(_)
            if size > MAX_STRIPPED_BYTES && media::transform::has_image_transformations(rules) =>
        {
            Err(TOO_LARGE_TO_STRIP)
        }
        _ => Ok(()),
    }
}

/// Runs blocking `work` on the bytes of an image on a separate thread. If the returned future is
/// dropped, the work still runs to its end, since codecs cannot be cancelled, and holds the permit
/// until then.
pub(crate) async fn run_on_image<T: Send + 'static>(
    spooled: &Spooled,
    work: impl FnOnce(&[u8]) -> Result<T, MediaError> + Send + 'static,
) -> Result<T, IngestError> {
    run_on_bytes(|| spooled.prefix(MAX_FORM_FILE_BYTES), work).await
}

/// Runs `work` like [`run_on_image`] on the bytes that `read` returns.
async fn run_on_bytes<T: Send + 'static, Reading>(
    read: impl FnOnce() -> Reading,
    work: impl FnOnce(&[u8]) -> Result<T, MediaError> + Send + 'static,
) -> Result<T, IngestError>
where
    Reading: Future<Output = Result<Bytes, ServiceError>>,
{
    let permit = IMAGE_PERMIT.acquire().await;
    let permit = permit.map_err(ServiceError::internal)?;
    let bytes = read().await?;

    let task = telemetry::spawn_blocking(move || {
        let result = work(&bytes);
        drop((bytes, permit));
        result
    });
    let result = task.await.map_err(ServiceError::internal)?;
    result.map_err(ingest_error)
}

/// Spools a transformed image. Fails if it is larger than a file may be.
async fn spool(bytes: &[u8]) -> Result<Spooled, IngestError> {
    if bytes.len() as u64 > MAX_FORM_FILE_BYTES {
        return Err(
            FieldError::Custom("must not be greater than 50 MB after transformation").into(),
        );
    }

    let mut spool = Spool::default();
    for chunk in bytes.chunks(CHUNK_BYTES) {
        spool.write(chunk).await?;
    }
    Ok(spool.finish().await?)
}

/// Returns the field error of an image that cannot be transformed.
fn ingest_error(error: MediaError) -> IngestError {
    let field_error = match error {
        MediaError::Truncated => {
            FieldError::Custom("must be a complete image; this one is truncated")
        }
        MediaError::Malformed(_) | MediaError::UnsupportedFormat(_) => {
            FieldError::Custom("must be an image that can be decoded")
        }
        MediaError::SideTooLarge { limit, .. } => FieldError::SideTooLarge(limit),
        MediaError::TooManyPixels { limit, .. }
        | MediaError::OutputTooLarge { limit, .. }
        | MediaError::TooManyPixelsForFormat { limit, .. } => FieldError::TooManyPixels(limit),
        MediaError::DecodingTooSlow { .. }
        | MediaError::DecodingTimedOut
        | MediaError::RenderingTooSlow { .. } => {
            FieldError::Custom("must be an image that is transformed in less time")
        }
        MediaError::TooManyCodes { .. } => {
            FieldError::Custom("must be a WebP with smaller code tables")
        }
        MediaError::TooManyScans(_) => FieldError::Custom("must be a JPEG with at most 200 scans"),
        MediaError::DimensionsTooLarge { .. } => {
            FieldError::Custom("must fit the maximum dimensions of the format it is converted to")
        }
        MediaError::AnimationTooLarge | MediaError::AnimatedOutputTooLarge { .. } => {
            FieldError::Custom("must be an animation with fewer frames")
        }
        error @ MediaError::Decoder(_) => return ServiceError::unavailable(error).into(),
        error @ MediaError::Encoding(_) => return ServiceError::internal(error).into(),
    };

    field_error.into()
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering::SeqCst},
        },
        thread,
        time::Duration,
    };

    use super::*;

    #[tokio::test]
    async fn images_are_decoded_one_at_a_time() {
        let running = Arc::new(AtomicUsize::new(0));
        let decode = || {
            let running = running.clone();
            let read = || std::future::ready(Ok(Bytes::new()));
            run_on_bytes(read, move |_| {
                let others = running.fetch_add(1, SeqCst);
                thread::sleep(Duration::from_millis(5));
                running.fetch_sub(1, SeqCst);
                Ok(others)
            })
        };

        let (one, other, third) = tokio::join!(decode(), decode(), decode());
        for others in [one, other, third] {
            assert_eq!(others.ok(), Some(0));
        }
    }

    #[tokio::test]
    async fn transformed_image_over_50_mb_is_rejected() {
        let mut bytes = vec![0; 50 << 20];
        let largest = spool(&bytes).await.expect("an image of 50 MB");
        assert_eq!(largest.size(), 50 << 20);

        bytes.push(0);
        let result = spool(&bytes).await;
        assert!(matches!(result, Err(IngestError::FieldError(_))));
    }
}
