//! Renditions of images: a variant is rendered once, stored, and reused.
//!
//! Invariants:
//! - Simultaneous requests for one variant render it once per process, and share an error.
//! - A stored variant is opened, and read only as far as the caller reads it.
//! - Renderings together use at most the memory that the process has for them. A request that waits
//!   too long for memory fails with 503. Spaces share it fairly.
//! - A rendering that outlasts its request is stored, on Lambda only if its execution environment serves
//!   further requests.
//! - A request that may not create a variant gets it only if it is stored.

mod fair_semaphore;
mod in_flight;
mod memory;
mod negotiation;
mod options;
mod ready;
mod render;
mod rendered_outputs;
mod shared;
mod watermark;

use bytes::Bytes;
use domain::{AppliedWatermark, ServiceError, Variant, VariantId};
use futures::future;
use media::WatermarkLayer;
use tenant::{AuthorizedFile, FileBucket, NewVariant, Tenants, VariantInfo, collect};

pub use memory::MemoryLimits;
pub use ready::ReadyVariant;
pub use render::require_source;

use crate::{
    fair_semaphore::FairPermit,
    in_flight::{InFlight, Outcome},
    memory::MemoryBudget,
    render::Rendering,
    rendered_outputs::{RenderedOutput, RenderedOutputs},
    shared::SharedRendering,
    watermark::{LayerCache, WatermarkSource},
};

/// Maximum size of an original that is rendered, in bytes.
pub const MAX_SOURCE_BYTES: u64 = 100 << 20;

/// Finds stored variants, and renders the others.
#[derive(Clone, Debug)]
pub struct Renditions {
    tenants: Tenants,
    bucket: FileBucket,
    memory: MemoryBudget,
    in_flight: InFlight,
    layers: LayerCache,
}

/// A variant of a file that the request is authorized to read.
#[derive(Clone, Copy, Debug)]
pub struct VariantRequest<'a> {
    /// The file.
    pub file: &'a AuthorizedFile,
    /// The variant.
    pub variant: Variant,
}

/// A variant to create.
#[derive(Clone, Debug)]
pub struct NewRendition {
    /// The id to store it under.
    pub id: VariantId,
    /// The variant.
    pub variant: Variant,
}

/// A rendition in memory.
#[derive(Clone, Debug)]
pub struct Rendition {
    /// Type and dimensions.
    pub info: VariantInfo,
    /// The encoded image.
    pub bytes: Bytes,
}

impl Renditions {
    /// Creates renditions of files in a bucket.
    pub fn new(tenants: Tenants, bucket: FileBucket, limits: MemoryLimits) -> Renditions {
        Renditions {
            tenants,
            bucket,
            memory: MemoryBudget::new(limits),
            in_flight: InFlight::default(),
            layers: LayerCache::default(),
        }
    }

    /// Returns a variant, rendered if it is not stored.
    ///
    /// Fails with 403 if it is not stored and the request may not render, with 422 if the file is no
    /// image that can be rendered, and with 503 if the process is busy with other renderings.
    pub async fn get(&self, request: VariantRequest<'_>) -> Result<ReadyVariant, ServiceError> {
        request
            .file
            .require_public(request.variant.transformation)?;
        let id = request.variant.id();
        let finished = self.in_flight.finished();
        if let Some(stored) = request.file.variant(&self.bucket, &id).await? {
            return Ok(ReadyVariant::Stored(stored));
        }
        request
            .file
            .require_creatable(&self.tenants, request.variant.transformation)
            .await?;

        let render = || {
            let renditions = self.clone();
            let file = request.file.clone();
            let variant = request.variant;
            let id = id.clone();
            async move {
                let request = VariantRequest {
                    file: &file,
                    variant,
                };
                renditions
                    .render_unless_stored(request, &id, finished)
                    .await
            }
        };
        let outcome = self
            .in_flight
            .run(request.file.file().id, &id, render)
            .await?;
        match outcome {
            Outcome::Rendered(rendition) => Ok(ReadyVariant::Rendered(rendition)),
            Outcome::Stored => {
                let stored = request.file.variant(&self.bucket, &id).await?;
                let stored = stored.ok_or_else(|| ServiceError::contended("the variant is gone"));
                stored.map(ReadyVariant::Stored)
            }
        }
    }

    /// Renders and stores a variant that was not stored when `finished` renderings had succeeded.
    /// Looks it up again only if another rendering has succeeded since.
    async fn render_unless_stored(
        &self,
        request: VariantRequest<'_>,
        id: &VariantId,
        finished: u64,
    ) -> Result<Outcome, ServiceError> {
        let has_changed = self.in_flight.finished() != finished;
        if has_changed && request.file.variant(&self.bucket, id).await?.is_some() {
            return Ok(Outcome::Stored);
        }
        let rendition = self.render_and_store(request, id).await?;
        Ok(Outcome::Rendered(rendition))
    }

    async fn render_and_store(
        &self,
        request: VariantRequest<'_>,
        id: &VariantId,
    ) -> Result<Rendition, ServiceError> {
        let file = request.file;
        let rendition = self.render(file, request.variant).await?;

        self.store(file, id, &rendition).await?;
        Ok(rendition)
    }

    async fn store(
        &self,
        file: &AuthorizedFile,
        id: &VariantId,
        rendition: &Rendition,
    ) -> Result<(), ServiceError> {
        let stored = NewVariant {
            id,
            info: &rendition.info,
            bytes: rendition.bytes.clone(),
        };
        file.store_variant(&self.tenants, &self.bucket, stored)
            .await
    }

    /// Returns the bytes of an original. Fails with 422 if it is no image, or too large to be read into
    /// memory.
    pub async fn original(&self, file: &AuthorizedFile) -> Result<Bytes, ServiceError> {
        require_source(file.file())?;
        let original = file.bytes(&self.tenants, &self.bucket, None).await?;
        collect(original).await
    }

    /// Renders variants from the bytes of the original, which is decoded once. Stores each before the next
    /// one is rendered, so that only one is in memory, and passes it to `on_stored`. Returns the outcome
    /// of each.
    ///
    /// Fails with 422 if the image cannot be decoded or makes a codec panic, and with 503 if the process
    /// is busy with other renderings.
    pub async fn create_all(
        &self,
        file: &AuthorizedFile,
        original: Bytes,
        new: &[NewRendition],
        mut on_stored: impl FnMut(&NewRendition, &Rendition) + Send,
    ) -> Result<Vec<Result<VariantInfo, ServiceError>>, ServiceError> {
        let source_permit = self.memory.reserve_source(file.file().space_id).await?;
        let variants: Vec<Variant> = new.iter().map(|new| new.variant).collect();
        let bytes = original.clone();
        let rendering = decode_blocking(move || SharedRendering::plan(&bytes, &variants)).await?;

        let marked = new.iter().find_map(|new| new.variant.watermark);
        let watermark = self.watermark(file, marked).await?;
        let pixels_permit = self
            .memory
            .reserve_pixels(file.file().space_id, rendering.memory_bytes())
            .await?;
        let reserved = Reserved {
            original,
            watermark,
            permits: [source_permit, pixels_permit],
        };

        let (sender, mut outputs) = rendered_outputs::channel();
        let rendering = self.run_blocking(reserved, move |original, layer| {
            rendering.run(original, layer, |output| sender.send(output))
        });
        let storing = self.store_all(file, new, &mut outputs, &mut on_stored);
        let ((), created) = future::try_join(rendering, storing).await?;
        Ok(created)
    }

    /// Stores the outputs of a rendering. An output that cannot be stored ends the rendering.
    async fn store_all(
        &self,
        file: &AuthorizedFile,
        new: &[NewRendition],
        outputs: &mut RenderedOutputs,
        on_stored: &mut (impl FnMut(&NewRendition, &Rendition) + Send),
    ) -> Result<Vec<Result<VariantInfo, ServiceError>>, ServiceError> {
        let mut created = Vec::with_capacity(new.len());
        for new in new {
            let Some(rendered) = outputs.next().await else {
                break;
            };
            let RenderedOutput {
                output,
                confirmation,
            } = rendered;

            let stored = match output {
                Ok(rendition) => {
                    self.store(file, &new.id, &rendition).await?;
                    on_stored(new, &rendition);
                    Ok(rendition.info)
                }
                Err(error) => Err(error),
            };

            created.push(stored);
            confirmation.send();
        }
        Ok(created)
    }

    async fn render(
        &self,
        file: &AuthorizedFile,
        variant: Variant,
    ) -> Result<Rendition, ServiceError> {
        // Before waiting: a file that cannot be rendered never has to.
        require_source(file.file())?;
        let source_permit = self.memory.reserve_source(file.file().space_id).await?;
        let original = self.original(file).await?;

        let bytes = original.clone();
        let rendering = decode_blocking(move || Rendering::plan(&bytes, variant)).await?;
        let watermark = self.watermark(file, variant.watermark).await?;
        let pixels_permit = self
            .memory
            .reserve_pixels(file.file().space_id, rendering.memory_bytes)
            .await?;
        let reserved = Reserved {
            original,
            watermark,
            permits: [source_permit, pixels_permit],
        };

        self.run_blocking(reserved, move |original, layer| {
            rendering.run(original, layer)
        })
        .await
    }

    /// Runs a rendering on a thread for blocking work. Codecs cannot be cancelled: the permits are held
    /// until the rendering ends, even if the request is gone.
    async fn run_blocking<Rendered: Send + 'static>(
        &self,
        reserved: Reserved,
        render: impl FnOnce(&[u8], Option<&WatermarkLayer>) -> Result<Rendered, ServiceError>
        + Send
        + 'static,
    ) -> Result<Rendered, ServiceError> {
        let layers = self.layers.clone();
        decode_blocking(move || {
            let Reserved {
                original,
                watermark,
                permits,
            } = reserved;

            let layer = watermark.map(|watermark| layers.decoded(watermark));
            let rendered = layer
                .transpose()
                .and_then(|layer| render(&original, layer.as_deref()));
            drop((original, permits));
            rendered
        })
        .await
    }

    async fn watermark(
        &self,
        file: &AuthorizedFile,
        watermark: Option<AppliedWatermark>,
    ) -> Result<Option<WatermarkSource>, ServiceError> {
        let Some(watermark) = watermark else {
            return Ok(None);
        };
        if let Some(layer) = self.layers.get(watermark) {
            return Ok(Some(WatermarkSource::Decoded(layer)));
        }

        let image = file.watermark_image(&self.bucket, watermark).await?;
        let image = collect(image).await?;
        Ok(Some(WatermarkSource::Image { watermark, image }))
    }
}

/// The inputs of a rendering, and the permits for its memory.
struct Reserved {
    original: Bytes,
    watermark: Option<WatermarkSource>,
    permits: [FairPermit; 2],
}

/// Runs work that decodes an image, on a thread for blocking work. If a codec panics, fails with 422: it
/// does so each time.
async fn decode_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
) -> Result<T, ServiceError> {
    match telemetry::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => Err(render::undecodable()),
        Err(error) => Err(ServiceError::internal(error)),
    }
}

#[cfg(test)]
mod tests {
    use domain::ErrorKind;

    use super::*;

    #[tokio::test]
    async fn panic_of_a_codec_is_an_error_of_the_image() {
        let panicking = || -> Result<(), ServiceError> { panic!("codec of a test") };

        let error = decode_blocking(panicking).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        let number = decode_blocking(|| Ok(1)).await.unwrap();
        assert_eq!(number, 1);
    }
}
