//! Renditions of images: each is rendered once, stored, and reused.
//!
//! A [`Rendition`] specifies the image. It is an [`ExpectedRendition`] before it is rendered, a
//! [`NewRendition`] in memory, and a [`StoredRendition`](space_store::objects::StoredRendition) in
//! the bucket. A [`ReadyRendition`] is one of the last two.
//!
//! Invariants:
//! - Simultaneous requests for one rendition render it once per process, and share an error.
//! - A stored rendition is opened, and read only as far as the caller reads it.
//! - Renderings together use at most the memory that the process has for them. A request that waits
//!   too long for memory fails with 503.
//! - A rendering that outlasts its request is stored, on Lambda only if its execution environment
//!   serves further requests.
//! - A request that may not create a rendition gets it only if it is stored.
//! - Images created by requests without credentials are limited, and stored for some days only,
//!   except the original with a watermark.

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
#[cfg(test)]
mod slow_jpeg;
mod watermark;
mod watermark_images;

use bytes::Bytes;
use domain::{
    errors::{FieldError, ServiceError},
    files::{Decoders, File},
    renditions::{Rendition, RenditionLocation, Retention},
    settings::AppliedWatermark,
};
use futures::future;
use media::{format::Format, render::WatermarkLayer};
use space_store::{
    delivery::AuthorizedFile,
    objects::{FileBucket, NewRendition, RenditionInfo, collect},
    spaces::Tenants,
};
use tokio::sync::OwnedSemaphorePermit;

pub use media::pixels::MAX_NEGOTIATED_AVIF_PIXELS;
pub use memory::MemoryLimits;
pub use output::{ExpectedRendition, expected, resolve};
pub use ready::{FoundRendition, ReadyRendition};
pub use render::{is_unrenderable, require_source};
pub use requests::RenditionRequest;
pub use watermark_images::Watermarks;

use crate::{
    in_flight::InFlight,
    memory::MemoryBudget,
    negotiation::restricting_format,
    render::PlannedRendition,
    rendered_outputs::RenderedOutputs,
    shared::SharedRendering,
    watermark::{LayerCache, WatermarkSource},
};

/// Maximum size of an original that is rendered, in bytes.
pub const MAX_SOURCE_BYTES: u64 = 100 << 20;

/// Finds stored renditions, and renders the others.
#[derive(Clone, Debug)]
pub struct Renditions {
    tenants: Tenants,
    bucket: FileBucket,
    memory: MemoryBudget,
    in_flight: InFlight,
    layers: LayerCache,
    decoders: Decoders,
}

/// The images created from an original. An output that cannot be rendered fails no other one.
#[derive(Debug)]
pub struct CreatedRenditions {
    /// The placeholder, which is not stored.
    pub placeholder: Result<NewRendition, ServiceError>,
    /// The outcome of each rendition to store.
    pub stored: Vec<Result<RenditionInfo, ServiceError>>,
}

impl Renditions {
    /// Creates renditions of files in a bucket.
    pub fn new(
        tenants: Tenants,
        bucket: FileBucket,
        limits: MemoryLimits,
        decoders: Decoders,
    ) -> Renditions {
        Renditions {
            tenants,
            bucket,
            memory: MemoryBudget::new(limits),
            in_flight: InFlight::default(),
            layers: LayerCache::default(),
            decoders,
        }
    }

    /// Whether images of a format are decoded.
    pub fn has_decoder(&self, format: Format) -> bool {
        format.is_permitted_by(self.decoders)
    }

    /// Fails like [`require_source`], and with 422 if the image has a format that this deployment
    /// does not decode.
    fn require_decoded(&self, file: &File) -> Result<(), ServiceError> {
        require_source(file)?;
        let format = restricting_format(&file.mime_type);
        if format.is_some_and(|format| !self.has_decoder(format)) {
            return Err(render::invalid(&FieldError::Custom(
                "is a HEIC original, which this deployment does not transform or mark",
            )));
        }
        Ok(())
    }

    /// Returns the bytes of an original. Fails with 422 if it is no image, or too large to be read
    /// into memory.
    pub async fn original(&self, file: &AuthorizedFile) -> Result<Bytes, ServiceError> {
        self.require_decoded(file.file())?;
        let original = file
            .objects(&self.bucket)
            .bytes(&self.tenants, None)
            .await?;
        collect(original).await
    }

    /// Renders a placeholder and the renditions to store from the bytes of the original, which is
    /// decoded once. Stores each rendition before the next one is rendered, so that only one is in
    /// memory.
    ///
    /// Fails with 422 if the image cannot be decoded or makes a codec panic, and with 503 if the
    /// process is busy with other renderings.
    pub async fn create_all(
        &self,
        file: &AuthorizedFile,
        original: Bytes,
        placeholder: Rendition,
        new: &[Rendition],
    ) -> Result<CreatedRenditions, ServiceError> {
        let source_permit = self.memory.reserve_source().await?;
        let mut renditions = vec![placeholder];
        renditions.extend(new);
        let bytes = original.clone();
        let rendering = decode_blocking(move || SharedRendering::plan(&bytes, &renditions)).await?;

        let marked = new.iter().find_map(|new| new.watermark);
        let watermark = self.watermark(file, marked).await?;
        let pixels_permit = self.memory.reserve_pixels(rendering.memory_bytes()).await?;
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

    /// Returns the first output of a rendering, and stores the others. An output that cannot be
    /// stored ends the rendering. Returns `None` if the rendering fails before its first output.
    async fn store_all(
        &self,
        file: &AuthorizedFile,
        new: &[Rendition],
        outputs: &mut RenderedOutputs,
    ) -> Result<Option<CreatedRenditions>, ServiceError> {
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
                    let location = RenditionLocation {
                        id: new.id(),
                        retention: Retention::Permanent,
                    };
                    file.objects(&self.bucket)
                        .store_rendition(&self.tenants, &location, &rendition)
                        .await?;
                    Ok(rendition.info)
                }
                Err(error) => Err(error),
            });
            rendered.confirmation.send();
        }
        Ok(Some(CreatedRenditions {
            placeholder: first.output,
            stored,
        }))
    }

    pub(crate) async fn render(
        &self,
        file: &AuthorizedFile,
        rendition: Rendition,
    ) -> Result<NewRendition, ServiceError> {
        let source_permit = self.memory.reserve_source().await?;
        let original = self.original(file).await?;

        let bytes = original.clone();
        let rendering = decode_blocking(move || PlannedRendition::plan(&bytes, rendition)).await?;
        let watermark = self.watermark(file, rendition.watermark).await?;
        let pixels_permit = self.memory.reserve_pixels(rendering.memory_bytes).await?;
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

    /// Runs a rendering on a thread for blocking work. Codecs cannot be cancelled: the permits are
    /// held until the rendering ends, even if the request is gone.
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
    permits: [OwnedSemaphorePermit; 2],
}

/// Runs work that decodes an image, on a thread for blocking work. If a codec panics, fails with
/// 422: it does so each time.
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
    use domain::errors::ErrorKind;

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
