//! Watermarks of renderings, and the last few that were decoded.

use std::{
    panic::{UnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use domain::{errors::ServiceError, settings::AppliedWatermark};
use media::{error::MediaError, render::WatermarkLayer};

/// Maximum decoded watermarks in memory. Each has up to 16 MB.
const MAX_LAYERS: usize = 4;

/// The decoded watermarks of a process. A full cache forgets the one that was decoded first.
#[derive(Clone, Debug, Default)]
pub(crate) struct LayerCache(Arc<Mutex<Vec<CachedLayer>>>);

#[derive(Debug)]
struct CachedLayer {
    watermark: AppliedWatermark,
    layer: Arc<WatermarkLayer>,
}

/// A watermark to composite.
#[derive(Debug)]
pub(crate) enum WatermarkSource {
    /// Decoded by an earlier rendering.
    Decoded(Arc<WatermarkLayer>),
    Image {
        /// How it is composited.
        watermark: AppliedWatermark,
        image: Bytes,
    },
}

impl LayerCache {
    /// Returns a decoded watermark; `None` if it has to be decoded.
    pub(crate) fn get(&self, watermark: AppliedWatermark) -> Option<Arc<WatermarkLayer>> {
        let layers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = layers.iter().find(|cached| cached.watermark == watermark);
        cached.map(|cached| cached.layer.clone())
    }

    /// Returns a watermark, decoded if necessary. Blocks the thread.
    pub(crate) fn decoded(
        &self,
        source: WatermarkSource,
    ) -> Result<Arc<WatermarkLayer>, ServiceError> {
        match source {
            WatermarkSource::Decoded(layer) => Ok(layer),
            WatermarkSource::Image { watermark, image } => self.decode(watermark, &image),
        }
    }

    fn decode(
        &self,
        watermark: AppliedWatermark,
        image: &[u8],
    ) -> Result<Arc<WatermarkLayer>, ServiceError> {
        let opacity = watermark.opacity.value();
        let decode = || WatermarkLayer::decode(image, watermark.position, opacity);
        let layer = Arc::new(decoded_by(decode)?);

        let mut layers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if layers.len() == MAX_LAYERS {
            layers.remove(0);
        }
        layers.push(CachedLayer {
            watermark,
            layer: layer.clone(),
        });
        Ok(layer)
    }
}

/// Runs the codec of a watermark. If it fails or panics, fails with an internal error: the image to
/// render is not the cause.
fn decoded_by(
    decode: impl FnOnce() -> Result<WatermarkLayer, MediaError> + UnwindSafe,
) -> Result<WatermarkLayer, ServiceError> {
    match catch_unwind(decode) {
        Ok(decoded) => decoded.map_err(ServiceError::internal),
        Err(_) => Err(ServiceError::internal("the codec of a watermark panicked")),
    }
}

#[cfg(test)]
mod tests {
    use domain::errors::ErrorKind;

    use super::*;

    #[test]
    fn panic_of_a_codec_is_no_error_of_the_image_to_render() {
        let error = decoded_by(|| panic!("codec of a test")).expect_err("a panic");

        assert_eq!(error.kind, ErrorKind::Internal);
    }
}
