//! Fetches the images of watermarks when they are set, and stores copies of them.
//!
//! Invariant: an image is stored only if delivery can decode it. Delivery reads the copy, and never
//! the URL.
//!
//! Images are decoded one at a time, but outside of a memory budget: a WebP that was prepared for it can
//! request more memory than the function has. That ends the invocation, and nothing is stored.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{
    FieldError, FieldErrors, Folder, FolderSecurity, PublicHttpsUrl, Revision, Security,
    ServiceError, Watermark,
};
use media::{MAX_WATERMARK_PIXELS, MediaError, WatermarkLayer};
use runtime::Settings;
use safe_http::{FetchLimits, Outbound, OutboundSettings};
use space_store::{FileBucket, NewFolderSecurity, NewSecurity, ResolvedFolder, SpaceScope};
use tokio::sync::Semaphore;

/// Maximum size of the image of a watermark, in bytes.
const MAX_IMAGE_BYTES: usize = 5 << 20;
/// Maximum time to fetch an image.
const DEADLINE: Duration = Duration::from_secs(5);
/// Status of a response with an image.
const OK: u16 = 200;
/// Maximum images that are decoded at a time.
const MAX_DECODINGS: usize = 1;
const URL_FIELD: &str = "security.watermark.url";

/// The client that fetches images, and the bucket that stores them.
#[derive(Clone)]
pub struct Watermarks {
    outbound: Outbound,
    bucket: FileBucket,
    decodings: Arc<Semaphore>,
}

impl Watermarks {
    /// Reads the configuration of a function.
    pub fn read(settings: &mut Settings) -> Watermarks {
        let url_policy = settings.url_policy();
        Watermarks {
            outbound: Outbound::new(OutboundSettings {
                url_policy,
                ..OutboundSettings::default()
            }),
            bucket: FileBucket::new(settings.bucket()),
            decodings: Arc::new(Semaphore::new(MAX_DECODINGS)),
        }
    }

    /// Replaces the security settings of a space, after the image of an enabled watermark is stored.
    /// Fails with 422 if the image cannot be fetched or decoded.
    pub async fn replace(
        &self,
        space: &mut SpaceScope,
        settings: Security,
    ) -> Result<(), ServiceError> {
        let stored_watermark = self.store_image(space, &settings.watermark).await?;
        let new = NewSecurity {
            settings,
            stored_watermark,
        };
        self.bucket.replace_security(space, new).await
    }

    /// Replaces the security settings of a folder as [`Watermarks::replace`] does.
    pub async fn replace_of_folder(
        &self,
        space: &SpaceScope,
        folder: ResolvedFolder,
        settings: FolderSecurity,
    ) -> Result<ResolvedFolder, ServiceError> {
        let stored_watermark = match &settings.watermark {
            Some(watermark) => self.store_image(space, watermark).await?,
            None => None,
        };
        let new = NewFolderSecurity {
            settings,
            stored_watermark,
        };
        self.bucket
            .replace_folder_security(space, folder, new)
            .await
    }

    /// Deletes the stored image of a deleted folder's watermark. A failure is only logged.
    pub async fn remove_of_folder(&self, space: &SpaceScope, folder: &Folder) {
        self.bucket
            .remove_watermark(space, folder.stored_watermark)
            .await;
    }

    /// Fetches and stores the image of a watermark, and returns its revision; `None` unless the watermark
    /// is enabled.
    async fn store_image(
        &self,
        space: &SpaceScope,
        watermark: &Watermark,
    ) -> Result<Option<Revision>, ServiceError> {
        let Watermark { enabled, url, .. } = watermark;
        let (true, Some(url)) = (enabled, url) else {
            return Ok(None);
        };

        let image = self.fetch(url).await?;
        self.require_decodable(image.clone()).await?;
        let revision = self.bucket.store_watermark(space, image).await?;
        Ok(Some(revision))
    }

    async fn fetch(&self, url: &PublicHttpsUrl) -> Result<Bytes, ServiceError> {
        let limits = FetchLimits {
            deadline: DEADLINE,
            max_body_bytes: MAX_IMAGE_BYTES,
        };
        let fetched = self.outbound.get(url, limits).await;
        let fetched =
            fetched.map_err(|error| invalid(FieldError::NotFetched(error.to_string())))?;

        let status = fetched.status.as_u16();
        if status == OK {
            return Ok(fetched.body);
        }
        let reason = format!("The host responds with status {status}.");
        Err(invalid(FieldError::NotFetched(reason)))
    }

    /// Fails with 422 if delivery cannot decode an image.
    async fn require_decodable(&self, image: Bytes) -> Result<(), ServiceError> {
        let permit = self.decodings.clone().acquire_owned().await;
        let permit = permit.map_err(ServiceError::internal)?;
        let Watermark {
            position, opacity, ..
        } = Watermark::default();
        let decode = move || {
            let decoded = WatermarkLayer::decode(&image, position, opacity.value());
            drop(permit);
            decoded.map(|_layer| ())
        };

        let decoded = telemetry::spawn_blocking(decode).await;
        decoded
            .map_err(ServiceError::internal)?
            .map_err(|error| match error {
                MediaError::TooManyPixels { .. } => {
                    invalid(FieldError::TooManyPixels(MAX_WATERMARK_PIXELS))
                }
                _ => invalid(FieldError::Custom(
                    "must be the URL of a PNG, JPEG, WebP or GIF that can be decoded",
                )),
            })
    }
}

fn invalid(field_error: FieldError) -> ServiceError {
    FieldErrors::from((URL_FIELD, field_error)).into()
}
