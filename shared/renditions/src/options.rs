//! Options of `media` to plan and to render a rendition in a format.

use domain::renditions::Rendition;
use media::{
    format::Format,
    render::{PlanOptions, RenderOptions, WatermarkLayer},
};

/// Returns the options to plan a rendering.
pub(crate) fn plan_options(rendition: Rendition, format: Format) -> PlanOptions {
    PlanOptions {
        resize: rendition.resize(),
        format,
        quality: rendition.quality(),
        has_watermark: rendition.watermark.is_some(),
    }
}

/// Returns the options to render a rendition, with the layer only if the rendition has a watermark.
pub(crate) fn render_options(
    rendition: Rendition,
    format: Format,
    layer: Option<&WatermarkLayer>,
) -> RenderOptions<'_> {
    RenderOptions {
        resize: rendition.resize(),
        format,
        quality: rendition.quality(),
        watermark: layer.filter(|_| rendition.watermark.is_some()),
    }
}
