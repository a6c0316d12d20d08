//! Processing of images: metadata from the headers, and variants from one read of the original.

use bytes::Bytes;
use domain::{File, ImageSize, ProcessingRules, ServiceError, StorageMeta, Thumbnail};
use media::{Format, Frames, MetadataOptions, color_name, decode, dominant_color, probe};
use renditions::{NewRendition, Rendition, is_unrenderable};
use tenant::{AuthorizedFile, Renderability, RenderableFile, VariantInfo};

use crate::{
    Processed, Thumbnails,
    effort::Effort,
    metadata, tags,
    variants::{self, PlannedVariant},
};

/// Number of first bytes that are read of an image that is too large to be rendered. They contain the
/// headers, unless the directory of a TIFF or the EXIF data of a `WebP` follows the pixels.
const PREFIX_BYTES: u64 = 4 << 20;

/// Properties of an image from its headers.
struct Headers {
    meta: StorageMeta,
    format: Option<Format>,
    is_animated: bool,
}

impl Headers {
    fn size(&self) -> Option<ImageSize> {
        Some(ImageSize {
            width: self.meta.width?,
            height: self.meta.height?,
        })
    }

    /// Whether no image of this format is decoded.
    fn has_no_decoder(&self) -> bool {
        self.format.is_some_and(|format| !format.is_renderable())
    }
}

/// An image that is being processed.
struct Image<'a> {
    thumbnails: &'a Thumbnails,
    file: &'a AuthorizedFile,
    original: Bytes,
}

impl Thumbnails {
    /// Reads the metadata of an image and, with full effort, creates its variants; `None` if the file was
    /// deleted.
    pub(crate) async fn process_image(
        &self,
        file: &File,
        rules: &ProcessingRules,
        effort: Effort,
    ) -> Result<Option<Processed>, ServiceError> {
        if let Err(error) = renditions::require_source(file) {
            return self.process_large_image(file, rules, error).await;
        }
        let renderable = match self.files.renderable(file).await? {
            Renderability::Renderable(renderable) => renderable,
            Renderability::Deleted => return Ok(None),
            Renderability::WatermarkMissing(missing) => {
                let failed = Processed::failed(StorageMeta::default(), missing.into());
                return Ok(Some(failed));
            }
        };
        let Some(original) = self.files.original(&renderable.authorized).await? else {
            return Ok(None);
        };

        let options = MetadataOptions {
            keep_gps: !rules.strip_metadata,
            is_prefix: false,
        };
        let headers = read_headers(original.clone(), options).await;
        if headers.has_no_decoder() {
            return Ok(Some(Processed::of(headers.meta)));
        }
        if effort != Effort::Full {
            return Ok(Some(Processed::gave_up(headers.meta)));
        }

        let image = Image {
            thumbnails: self,
            file: &renderable.authorized,
            original,
        };
        image.process(headers, &renderable, rules).await.map(Some)
    }

    /// Reads the metadata of an image from its first bytes; `None` if the file was deleted. `error` states
    /// why the image cannot be rendered.
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

        Ok(Some(if headers.has_no_decoder() {
            Processed::of(headers.meta)
        } else {
            Processed::failed(headers.meta, error)
        }))
    }
}

/// Stored variants of an image.
struct CreatedVariants {
    /// The outcome of the placeholder, then of each planned variant.
    outcomes: Vec<Result<VariantInfo, ServiceError>>,
    /// The most frequent color of the placeholder.
    color: Option<[u8; 3]>,
}

impl Image<'_> {
    /// Creates all variants. An image that cannot be decoded has failed.
    async fn process(
        &self,
        headers: Headers,
        renderable: &RenderableFile,
        rules: &ProcessingRules,
    ) -> Result<Processed, ServiceError> {
        let planned = self.planned(&headers, renderable, rules);
        let created = match self.create(&planned).await {
            Ok(created) => created,
            Err(error) if is_unrenderable(&error) => {
                return Ok(Processed::failed(headers.meta, error));
            }
            Err(error) => return Err(error),
        };
        let mut outcomes = created.outcomes.into_iter();
        match outcomes.next() {
            Some(Ok(_)) => {}
            Some(Err(error)) => return Ok(Processed::failed(headers.meta, error)),
            None => return Ok(Processed::of(headers.meta)),
        }

        let listed = planned.into_iter().zip(outcomes);
        let thumbnails = listed.filter_map(|(planned, created)| thumbnail(planned, created));
        let mut thumbnails: Vec<Thumbnail> = thumbnails.collect();
        thumbnails.sort_by_key(|thumbnail| (thumbnail.width, thumbnail.height));

        let color = created.color;
        let mut processed = Processed::of(headers.meta);
        processed.media.thumbnails = thumbnails;
        processed.media.meta.dominant_color =
            color.map(|[red, green, blue]| format!("#{red:02x}{green:02x}{blue:02x}"));
        processed.has_placeholder = true;
        processed.tags = tags::of_image(
            &processed.media.meta,
            color.map(color_name),
            headers.is_animated,
        );
        Ok(processed)
    }

    /// Renders and stores the placeholder, then the planned variants.
    async fn create(&self, planned: &[PlannedVariant]) -> Result<CreatedVariants, ServiceError> {
        let placeholder = variants::placeholder();
        let placeholder_id = placeholder.id.clone();
        let mut new = vec![placeholder];
        new.extend(planned.iter().map(|planned| planned.rendition.clone()));

        let mut color = None;
        let read_color = |new: &NewRendition, stored: &Rendition| {
            if new.id == placeholder_id {
                color = color_of(&stored.bytes);
            }
        };
        let outcomes = self
            .thumbnails
            .renditions
            .create_all(self.file, self.original.clone(), &new, read_color)
            .await?;
        Ok(CreatedVariants { outcomes, color })
    }

    /// Returns the variants of the file. Thumbnails are left out if storing them would publish them.
    fn planned(
        &self,
        headers: &Headers,
        renderable: &RenderableFile,
        rules: &ProcessingRules,
    ) -> Vec<PlannedVariant> {
        let watermark = self.file.watermark();
        let longest_side = headers.meta.width.max(headers.meta.height).unwrap_or(0);
        let mut planned = if renderable.publishes_variants {
            Vec::new()
        } else {
            variants::thumbnails(longest_side, headers.is_animated, watermark)
        };

        let file = self.file.file();
        for eager in &rules.eager {
            planned.extend(variants::eager(*eager, &file.mime_type, watermark));
        }

        let measured = File {
            image_size: file.displayed_size().or(headers.size()),
            ..file.clone()
        };
        let resolved = planned
            .into_iter()
            .map(|planned| planned.resolved(&measured));
        unique(resolved.collect())
    }
}

/// Returns each variant once, as a listed one if it is among the listed ones. Listed ones with the same
/// output remain, because each query is listed.
fn unique(planned: Vec<PlannedVariant>) -> Vec<PlannedVariant> {
    let mut unique: Vec<PlannedVariant> = Vec::new();
    for planned in planned {
        let is_same = |other: &&mut PlannedVariant| {
            let is_listed_twice = other.query.is_some() && planned.query.is_some();
            other.rendition.id == planned.rendition.id
                && (!is_listed_twice || other.query == planned.query)
        };
        let same = unique.iter_mut().find(is_same);
        match same {
            Some(other) if other.query.is_none() => *other = planned,
            Some(_) => {}
            None => unique.push(planned),
        }
    }
    unique
}

/// Returns the thumbnail of a variant; `None` if the variant is not listed, or exceeds a limit.
fn thumbnail(
    planned: PlannedVariant,
    created: Result<VariantInfo, ServiceError>,
) -> Option<Thumbnail> {
    let query = planned.query?;
    match created {
        Ok(created) => Some(Thumbnail {
            width: created.width,
            height: created.height,
            query,
            is_automatic: planned.is_automatic,
        }),
        Err(error) => {
            tracing::info!(%error, query, "a variant cannot be created");
            None
        }
    }
}

/// Reads the headers on a thread for blocking work: they may be those of a large file.
async fn read_headers(original: Bytes, options: MetadataOptions) -> Headers {
    let read = move || {
        let read = media::image_metadata(&original, &options);
        let is_animated = probe(&original).is_ok_and(|info| info.frames != Frames::Still);
        Headers {
            format: read.format,
            meta: metadata::of_image(read),
            is_animated,
        }
    };
    let headers = telemetry::spawn_blocking(read).await;
    headers.unwrap_or_else(|error| {
        tracing::error!(%error, "the metadata of an image could not be read");
        Headers {
            meta: StorageMeta::default(),
            format: None,
            is_animated: false,
        }
    })
}

/// Returns the most frequent color of the placeholder.
fn color_of(placeholder: &[u8]) -> Option<[u8; 3]> {
    let info = probe(placeholder).ok()?;
    let pixels = decode(placeholder, &info).ok()?;
    Some(dominant_color(&pixels))
}
