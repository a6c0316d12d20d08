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
//! - Images created by requests without credentials are limited, and stored for some days only, except the
//!   original with a watermark.

mod in_flight;
mod memory;
mod negotiation;
mod options;
mod output;
mod ready;
mod render;
mod rendered_outputs;
mod requests;
mod shared;
mod watermark;
mod watermark_images;

use bytes::Bytes;
use domain::{AppliedWatermark, Retention, ServiceError, SpaceId, Variant, VariantLocation};
use futures::future;
use media::WatermarkLayer;
use runtime::FairPermit;
use space_store::{AuthorizedFile, FileBucket, NewVariant, Tenants, VariantInfo, collect};

pub use memory::MemoryLimits;
pub use output::{ExpectedVariant, expected, resolve};
pub use ready::{FoundVariant, ReadyVariant};
pub use render::{is_unrenderable, require_source};
pub use requests::VariantRequest;
pub use watermark_images::Watermarks;

use crate::{
    in_flight::InFlight,
    memory::MemoryBudget,
    render::Rendering,
    rendered_outputs::RenderedOutputs,
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

/// A rendition in memory.
#[derive(Clone, Debug)]
pub struct Rendition {
    pub info: VariantInfo,
    pub bytes: Bytes,
}

/// The images created from an original. An output that cannot be rendered fails no other one.
#[derive(Debug)]
pub struct CreatedVariants {
    /// The placeholder, which is not stored.
    pub placeholder: Result<Rendition, ServiceError>,
    /// The outcome of each variant to store.
    pub stored: Vec<Result<VariantInfo, ServiceError>>,
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

    pub(crate) async fn store(
        &self,
        file: &AuthorizedFile,
        location: &VariantLocation,
        rendition: &Rendition,
    ) -> Result<(), ServiceError> {
        let stored = NewVariant {
            location,
            info: &rendition.info,
            bytes: rendition.bytes.clone(),
        };
        file.objects(&self.bucket)
            .store_variant(&self.tenants, stored)
            .await
    }

    /// Returns the bytes of an original. Fails with 422 if it is no image, or too large to be read into
    /// memory.
    pub async fn original(&self, file: &AuthorizedFile) -> Result<Bytes, ServiceError> {
        require_source(file.file())?;
        let original = file
            .objects(&self.bucket)
            .bytes(&self.tenants, None)
            .await?;
        collect(original).await
    }

    /// Renders a placeholder and the variants to store from the bytes of the original, which is decoded once.
    /// Stores each variant before the next one is rendered, so that only one is in memory.
    ///
    /// Fails with 422 if the image cannot be decoded or makes a codec panic, and with 503 if the process
    /// is busy with other renderings.
    pub async fn create_all(
        &self,
        file: &AuthorizedFile,
        original: Bytes,
        placeholder: Variant,
        new: &[Variant],
    ) -> Result<CreatedVariants, ServiceError> {
        let source_permit = self.memory.reserve_source(file.file().space_id).await?;
        let mut variants = vec![placeholder];
        variants.extend(new);
        let bytes = original.clone();
        let rendering = decode_blocking(move || SharedRendering::plan(&bytes, &variants)).await?;

        let marked = new.iter().find_map(|new| new.watermark);
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
        let storing = self.store_all(file, new, &mut outputs);
        let ((), created) = future::try_join(rendering, storing).await?;
        created.ok_or_else(|| ServiceError::internal("the rendering has no outputs"))
    }

    /// Returns the first output of a rendering, and stores the others. An output that cannot be stored ends the
    /// rendering. Returns `None` if the rendering fails before its first output.
    async fn store_all(
        &self,
        file: &AuthorizedFile,
        new: &[Variant],
        outputs: &mut RenderedOutputs,
    ) -> Result<Option<CreatedVariants>, ServiceError> {
        let Some(first) = outputs.next().await else {
            return Ok(None);
        };
        first.confirmation.send();

        let mut stored = Vec::with_capacity(new.len());
        for new in new {
            let Some(rendered) = outputs.next().await else {
                break;
            };
            stored.push(match rendered.output {
                Ok(rendition) => {
                    let location = VariantLocation {
                        id: new.id(),
                        retention: Retention::Permanent,
                    };
                    self.store(file, &location, &rendition).await?;
                    Ok(rendition.info)
                }
                Err(error) => Err(error),
            });
            rendered.confirmation.send();
        }
        Ok(Some(CreatedVariants {
            placeholder: first.output,
            stored,
        }))
    }

    pub(crate) async fn render(
        &self,
        file: &AuthorizedFile,
        variant: Variant,
    ) -> Result<Rendition, ServiceError> {
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

        let image = file
            .objects(&self.bucket)
            .watermark_image(watermark)
            .await?;
        let image = collect(image).await?;
        Ok(Some(WatermarkSource::Image { watermark, image }))
    }
}

/// The inputs of a rendering, and the permits for its memory.
struct Reserved {
    original: Bytes,
    watermark: Option<WatermarkSource>,
    permits: [FairPermit<SpaceId>; 2],
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
