//! Processing of images: metadata from the headers, and renditions from one read of the original.

use bytes::Bytes;
use domain::{
    errors::ServiceError,
    files::{File, StorageMeta, Thumbnail},
    renditions::Rendition,
    uploads::ProcessingRules,
};
use media::{dominant_color::color_name, format::Format, image_metadata::MetadataOptions};
use renditions::is_unrenderable;
use space_store::{delivery::AuthorizedFile, objects::RenditionInfo};

use crate::{
    Processed, Processing,
    eager::{self, EagerRendition},
    effort::Effort,
    metadata,
    placeholder::{colors, placeholder},
};

/// Number of first bytes that are read of an image that is too large to be rendered. They contain
/// the headers, unless the directory of a TIFF or the EXIF data of a `WebP` follows the pixels.
const PREFIX_BYTES: u64 = 4 << 20;

/// Properties of an image from its headers.
struct Headers {
    meta: StorageMeta,
    format: Option<Format>,
}

impl Processing {
    /// Whether no image of this format is decoded.
    fn has_no_decoder(&self, headers: &Headers) -> bool {
        let format = headers.format;
        format.is_some_and(|format| !self.renditions.has_decoder(format))
    }

    /// Reads the metadata of an image and, with full effort, creates its renditions; `None` if the
    /// file was deleted.
    pub(crate) async fn process_image(
        &self,
        file: &File,
        rules: &ProcessingRules,
        effort: Effort,
    ) -> Result<Option<Processed>, ServiceError> {
        if let Err(error) = renditions::require_source(file) {
            return self.process_large_image(file, rules, error).await;
        }
        let authorized = if rules.eager.is_empty() {
            self.files.without_renditions(file.clone())
        } else {
            match self.files.for_renditions(file).await? {
                Some(authorized) => authorized,
                None => return Ok(None),
            }
        };
        let Some(original) = self.files.original(&authorized).await? else {
            return Ok(None);
        };

        let options = MetadataOptions {
            keep_gps: !rules.strip_metadata,
            is_prefix: false,
        };
        let headers = read_headers(original.clone(), options).await;
        if self.has_no_decoder(&headers) {
            return Ok(Some(Processed::of(headers.meta)));
        }
        if effort != Effort::Full {
            return Ok(Some(Processed::failed_after_attempts(headers.meta)));
        }
        self.process_pixels(&authorized, original, headers.meta, rules)
            .await
            .map(Some)
    }

    /// Decodes an image, stores its eager renditions, and computes its colors. An image that cannot
    /// be decoded has failed.
    async fn process_pixels(
        &self,
        authorized: &AuthorizedFile,
        original: Bytes,
        meta: StorageMeta,
        rules: &ProcessingRules,
    ) -> Result<Processed, ServiceError> {
        let file = authorized.file();
        // Delivery finds what is planned with the metadata that will be recorded.
        let measured = File {
            media: Some(Processed::of(meta.clone()).media),
            ..file.clone()
        };
        let planned = eager::planned(&rules.eager, &measured, authorized.watermark());
        let new: Vec<Rendition> = planned.iter().map(|planned| planned.rendition).collect();

        let created = self
            .renditions
            .create_all(authorized, original, placeholder(), &new)
            .await;
        let created = match created {
            Ok(created) => created,
            Err(error) if is_unrenderable(&error) => return Ok(Processed::failed(meta, error)),
            Err(error) => return Err(error),
        };
        let colors = match created.placeholder {
            Ok(rendered) => colors(&rendered.bytes).await,
            Err(error) => return Ok(Processed::failed(meta, error)),
        };

        let mut processed = Processed::of(meta);
        let media = &mut processed.media;
        let eager = planned.into_iter().zip(created.stored);
        media.eager = eager
            .filter_map(|(planned, created)| thumbnail(planned, created))
            .collect();
        let dominant = colors.as_ref().map(|colors| colors.dominant);
        media.meta.dominant_color =
            dominant.map(|[red, green, blue]| format!("#{red:02x}{green:02x}{blue:02x}"));
        media.meta.blurhash = colors.and_then(|colors| colors.blurhash);
        processed.color = dominant.map(color_name);
        Ok(processed)
    }

    /// Reads the metadata of an image from its first bytes; `None` if the file was deleted. `error`
    /// states why the image cannot be rendered.
    async fn process_large_image(
        &self,
        file: &File,
        rules: &ProcessingRules,
        error: ServiceError,
    ) -> Result<Option<Processed>, ServiceError> {
        let Some(prefix) = self.files.range(file, 0..=PREFIX_BYTES - 1).await? else {
            return Ok(None);
        };
        let options = MetadataOptions {
            keep_gps: !rules.strip_metadata,
            is_prefix: true,
        };
        let headers = read_headers(prefix, options).await;

        Ok(Some(if self.has_no_decoder(&headers) {
            Processed::of(headers.meta)
        } else {
            Processed::failed(headers.meta, error)
        }))
    }
}

/// Returns the thumbnail of a rendition; `None` if the rendition is not listed, or exceeds a limit.
fn thumbnail(
    planned: EagerRendition,
    created: Result<RenditionInfo, ServiceError>,
) -> Option<Thumbnail> {
    let query = planned.query?;
    match created {
        Ok(created) => Some(Thumbnail {
            width: created.width,
            height: created.height,
            query,
        }),
        Err(error) => {
            tracing::info!(%error, query, "a rendition cannot be created");
            None
        }
    }
}

/// Reads the headers on a thread for blocking work: they may be those of a large file.
async fn read_headers(original: Bytes, options: MetadataOptions) -> Headers {
    let read = move || {
        let read = media::image_metadata::image_metadata(&original, &options);
        Headers {
            format: read.format,
            meta: metadata::of_image(read),
        }
    };

    let headers = telemetry::spawn_blocking(read).await;
    headers.unwrap_or_else(|error| {
        tracing::error!(%error, "the metadata of an image could not be read");
        Headers {
            meta: StorageMeta::default(),
            format: None,
        }
    })
}
