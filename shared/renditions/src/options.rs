//! Options of `media` to plan and to render a variant in a format.

use domain::Variant;
use media::{Format, PlanOptions, RenderOptions, WatermarkLayer};

/// Returns the options to plan a rendering.
pub(crate) fn plan_options(variant: Variant, format: Format) -> PlanOptions {
    PlanOptions {
        resize: variant.resize(),
        format,
        quality: variant.quality(),
        has_watermark: variant.watermark.is_some(),
    }
}

/// Returns the options to render a variant, with the layer only if the variant has a watermark.
pub(crate) fn render_options(
    variant: Variant,
    format: Format,
    layer: Option<&WatermarkLayer>,
) -> RenderOptions<'_> {
    RenderOptions {
        resize: variant.resize(),
        format,
        quality: variant.quality(),
        watermark: layer.filter(|_| variant.watermark.is_some()),
    }
}
