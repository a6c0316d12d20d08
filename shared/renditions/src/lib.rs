//! Renditions of images: a variant is rendered once, stored, and reused.
//!
//! Invariants:
//! - Simultaneous requests for one variant render it once per process.
//! - Renderings together use at most the memory that the process has for them. A request that waits
//!   too long for memory fails with 503.
//! - A request that may not create a variant gets it only if it is stored.

mod in_flight;
mod memory;
mod render;
mod watermark;

use bytes::{Bytes, BytesMut};
use domain::{ServiceError, Variant, VariantId};
use futures::{Stream, TryStreamExt, future};
use tenant::{AuthorizedFile, BucketError, FileBucket, NewVariant, Tenants, VariantInfo};

use crate::{
    in_flight::InFlight,
    memory::MemoryBudget,
    render::Rendering,
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

/// A rendition.
#[derive(Clone, Debug)]
pub struct Rendition {
    /// Type and dimensions.
    pub info: VariantInfo,
    /// The encoded image.
    pub bytes: Bytes,
}

impl Renditions {
    /// Creates renditions of files in a bucket, with `memory_bytes` for simultaneous renderings.
    pub fn new(tenants: Tenants, bucket: FileBucket, memory_bytes: u64) -> Renditions {
        Renditions {
            tenants,
            bucket,
            memory: MemoryBudget::new(memory_bytes),
            in_flight: InFlight::default(),
            layers: LayerCache::default(),
        }
    }

    /// Returns a variant, rendered if it is not stored.
    ///
    /// Fails with 403 if it is not stored and the request may not render, with 422 if the file is no
    /// image that can be rendered, and with 503 if the process is busy with other renderings.
    pub async fn get(&self, request: VariantRequest<'_>) -> Result<Rendition, ServiceError> {
        let id = request.variant.id();
        if let Some(stored) = self.stored(request.file, &id).await? {
            return Ok(stored);
        }
        let resize = request
            .variant
            .transformation
            .and_then(|transformation| transformation.resize);
        request
            .file
            .require_creatable(&self.tenants, resize)
            .await?;

        let render = || self.render_and_store(request, &id);
        self.in_flight
            .run(request.file.file().id, &id, render)
            .await
    }

    async fn stored(
        &self,
        file: &AuthorizedFile,
        id: &VariantId,
    ) -> Result<Option<Rendition>, ServiceError> {
        let Some(stored) = file.variant(&self.bucket, id).await? else {
            return Ok(None);
        };
        let info = stored.info.clone();
        let bytes = collect(stored.into_bytes()).await?;
        Ok(Some(Rendition { info, bytes }))
    }

    async fn render_and_store(
        &self,
        request: VariantRequest<'_>,
        id: &VariantId,
    ) -> Result<Rendition, ServiceError> {
        let file = request.file;
        let rendition = self.render(file, request.variant).await?;

        let stored = NewVariant {
            id,
            info: &rendition.info,
            bytes: rendition.bytes.clone(),
        };
        file.store_variant(&self.tenants, &self.bucket, stored)
            .await?;
        Ok(rendition)
    }

    async fn render(
        &self,
        file: &AuthorizedFile,
        variant: Variant,
    ) -> Result<Rendition, ServiceError> {
        render::require_source(file.file())?;
        let source_permit = self.memory.reserve_source().await?;
        let original = file.bytes(&self.tenants, &self.bucket, None).await?;
        let original = collect(original).await?;

        let rendering = Rendering::plan(&original, variant)?;
        let watermark = self.watermark(file, variant).await?;
        let pixels_permit = self.memory.reserve_pixels(rendering.memory_bytes).await?;

        // Codecs cannot be cancelled: the permits are held until the rendering ends, even if the
        // request is gone.
        let layers = self.layers.clone();
        let task = tokio::task::spawn_blocking(move || {
            let layer = watermark.map(|watermark| layers.decoded(watermark));
            let rendered = layer
                .transpose()
                .and_then(|layer| rendering.run(&original, layer.as_deref()));
            drop((original, source_permit, pixels_permit));
            rendered
        });
        task.await.map_err(ServiceError::internal)?
    }

    async fn watermark(
        &self,
        file: &AuthorizedFile,
        variant: Variant,
    ) -> Result<Option<WatermarkSource>, ServiceError> {
        let Some(watermark) = variant.watermark else {
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

async fn collect(
    chunks: impl Stream<Item = Result<Bytes, BucketError>>,
) -> Result<Bytes, ServiceError> {
    let append = |mut all: BytesMut, chunk: Bytes| {
        all.extend_from_slice(&chunk);
        future::ok(all)
    };
    let all = chunks.try_fold(BytesMut::new(), append).await?;
    Ok(all.freeze())
}
