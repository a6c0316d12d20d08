//! The small version of an image that its most frequent color and its blurhash are computed from.

use domain::renditions::{ImageFormat, Rendition, Resize, Sides, Transformation};
use media::{blurhash::blurhash, decode::decode, dominant_color::dominant_color, probe::probe};

/// Side of the square that the placeholder fits into, in pixels.
const SIDE: u32 = 64;

/// Colors of a placeholder.
pub(crate) struct Colors {
    /// The most frequent color.
    pub(crate) dominant: [u8; 3],
    /// The blurhash; `None` if it cannot be computed.
    pub(crate) blurhash: Option<String>,
}

/// Returns the placeholder of every image: lossless, without a watermark.
pub(crate) fn placeholder() -> Rendition {
    let sides = Sides::Both {
        width: SIDE,
        height: SIDE,
    };
    let transformation = Transformation {
        resize: Some(Resize::Fit(sides)),
        format: Some(ImageFormat::Png),
        ..Transformation::default()
    };
    Rendition::of(transformation, ImageFormat::Png)
}

/// Computes the colors of a placeholder; `None` if it cannot be decoded.
pub(crate) async fn colors(placeholder: &[u8]) -> Option<Colors> {
    let info = probe(placeholder).ok()?;
    let pixels = decode(placeholder, &info).ok()?;

    Some(Colors {
        dominant: dominant_color(&pixels),
        blurhash: unless_panicked(move || blurhash(&pixels)).await,
    })
}

/// Computes a blurhash on a separate thread. Returns `None` if it panics, which costs the file
/// nothing else.
async fn unless_panicked(compute: impl FnOnce() -> String + Send + 'static) -> Option<String> {
    let computed = telemetry::spawn_blocking(compute).await;
    if let Err(error) = &computed {
        tracing::error!(%error, "the file gets no blurhash");
    }
    computed.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_costs_only_the_blurhash() {
        assert_eq!(unless_panicked(|| panic!("in a test")).await, None);
        let computed = unless_panicked(|| "text".to_owned()).await;
        assert_eq!(computed.as_deref(), Some("text"));
    }
}
