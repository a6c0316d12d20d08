//! Fetches the images of watermarks when they are set, or reads them from files, and stores copies
//! of them.
//!
//! Invariants:
//! - An image is stored only if delivery can decode it. Delivery reads the copy, and never the URL
//!   or the file.
//! - Settings that keep their file keep the copy unless the file has newer bytes, so they can be
//!   changed after the file is deleted.
//!
//! Images are decoded one at a time, but outside of a memory budget: a WebP that was prepared for
//! it can request more memory than the function has. That ends the invocation, and nothing is
//! stored.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    files::{File, ResourceType},
    folders::Folder,
    id::FileId,
    naming::PublicHttpsUrl,
    settings::{FileStatus, FolderSecurity, Security, StoredWatermark, Watermark},
};
use media::{error::MediaError, pixels::MAX_WATERMARK_PIXELS, render::WatermarkLayer};
use runtime::context::Settings;
use safe_http::{FetchLimits, Outbound, OutboundSettings};
use space_store::{
    delivery::{NewFolderSecurity, NewSecurity},
    folders::ResolvedFolder,
    objects::FileBucket,
    spaces::SpaceScope,
};
use tokio::sync::Semaphore;

/// Maximum size of the image of a watermark, in bytes.
const MAX_IMAGE_BYTES: usize = 5 << 20;
/// Maximum time to fetch an image.
const DEADLINE: Duration = Duration::from_secs(5);
/// Status of a response with an image.
const OK: u16 = 200;
/// Maximum images that are decoded at a time.
const MAX_DECODINGS: usize = 1;

/// Where an image comes from: the field of a request, and what it must be.
#[derive(Clone, Copy)]
struct Source {
    field: &'static str,
    requirement: &'static str,
}

const URL: Source = Source {
    field: "security.watermark.url",
    requirement: "must be the URL of a PNG, JPEG, WebP or GIF that can be decoded",
};
const FILE: Source = Source {
    field: "security.watermark.file_id",
    requirement: "must be the id of a PNG, JPEG, WebP or GIF that can be decoded",
};

impl Source {
    fn invalid(self, field_error: FieldError) -> ServiceError {
        FieldErrors::from((self.field, field_error)).into()
    }

    fn unsuitable(self) -> ServiceError {
        self.invalid(FieldError::Custom(self.requirement))
    }
}

/// The watermark that new settings replace.
struct Current<'a> {
    watermark: Option<&'a Watermark>,
    stored: Option<StoredWatermark>,
}

impl Current<'_> {
    /// Returns the stored image if it is a copy of the bytes that a file has, or of a file that is
    /// not active any more.
    fn copy_of(&self, id: FileId, file: Option<&File>) -> Option<StoredWatermark> {
        let copy = self.stored?;
        let is_same = self.watermark?.file_id == Some(id);
        let is_outdated =
            |file: &File| file.status == FileStatus::Active && file.revision != copy.copied;

        (is_same && !file.is_some_and(is_outdated)).then_some(copy)
    }
}

/// Returns a file that was not deleted with a folder.
async fn find_file(space: &SpaceScope, id: FileId) -> Result<Option<File>, ServiceError> {
    let found = space.files().get(id).await?.into_iter().collect();
    Ok(space.files().without_deleted(found).await?.pop())
}

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

    /// Replaces the security settings of a space, after the image of an enabled watermark is
    /// stored. Fails with 422 if the image cannot be fetched or decoded.
    pub async fn replace(
        &self,
        space: &mut SpaceScope,
        settings: Security,
    ) -> Result<(), ServiceError> {
        let current = Current {
            watermark: Some(&space.record().security.watermark),
            stored: space.record().stored_watermark,
        };
        let stored_watermark = self
            .store_image(space, &settings.watermark, current)
            .await?;
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
        let current = Current {
            watermark: folder.folder().security.watermark.as_ref(),
            stored: folder.folder().stored_watermark,
        };

        let stored_watermark = match &settings.watermark {
            Some(watermark) => self.store_image(space, watermark, current).await?,
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

    /// Stores the image of a watermark, unless the current one is a copy of the bytes that its file
    /// has; `None` unless the watermark is enabled.
    async fn store_image(
        &self,
        space: &SpaceScope,
        watermark: &Watermark,
        current: Current<'_>,
    ) -> Result<Option<StoredWatermark>, ServiceError> {
        if !watermark.enabled {
            return Ok(None);
        }

        let (image, copied, source) = match (&watermark.url, watermark.file_id) {
            (Some(url), _) => (self.fetch(url).await?, None, URL),
            (None, Some(id)) => {
                let file = find_file(space, id).await?;
                if let Some(copy) = current.copy_of(id, file.as_ref()) {
                    return Ok(Some(copy));
                }
                let copied = file.as_ref().and_then(|file| file.revision);
                (self.original(space, file).await?, copied, FILE)
            }
            (None, None) => return Ok(None),
        };
        self.require_decodable(image.clone(), source).await?;
        let stored = self.bucket.store_watermark(space, image, copied).await?;
        Ok(Some(stored))
    }

    async fn fetch(&self, url: &PublicHttpsUrl) -> Result<Bytes, ServiceError> {
        let limits = FetchLimits {
            deadline: DEADLINE,
            max_body_bytes: MAX_IMAGE_BYTES,
        };
        let fetched = self.outbound.get(url, limits).await;
        let fetched =
            fetched.map_err(|error| URL.invalid(FieldError::NotFetched(error.to_string())))?;

        let status = fetched.status.as_u16();
        if status == OK {
            return Ok(fetched.body);
        }
        let reason = format!("The host responds with status {status}.");
        Err(URL.invalid(FieldError::NotFetched(reason)))
    }

    /// Returns the original bytes of an image of the space. Fails with 422 for other files, and for
    /// none.
    async fn original(
        &self,
        space: &SpaceScope,
        file: Option<File>,
    ) -> Result<Bytes, ServiceError> {
        let file = file.ok_or_else(|| FILE.invalid(FieldError::InvalidSelection))?;
        if file.status != FileStatus::Active {
            let incomplete = "must be the id of a file whose upload is complete";
            return Err(FILE.invalid(FieldError::Custom(incomplete)));
        }
        if file.resource_type != ResourceType::Image {
            return Err(FILE.unsuitable());
        }
        if file.size > MAX_IMAGE_BYTES as u64 {
            let too_large = "must be the id of an image of at most 5 MiB";
            return Err(FILE.invalid(FieldError::Custom(too_large)));
        }

        space.files().bytes(&file, &self.bucket).await
    }

    /// Fails with 422 if delivery cannot decode an image.
    async fn require_decodable(&self, image: Bytes, source: Source) -> Result<(), ServiceError> {
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
                    source.invalid(FieldError::TooManyPixels(MAX_WATERMARK_PIXELS))
                }
                _ => source.unsuitable(),
            })
    }
}
