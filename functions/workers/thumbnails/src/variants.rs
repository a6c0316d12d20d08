//! The variants that are created after an upload.

use domain::{
    AppliedWatermark, EagerTransformation, File, ImageFormat, Resize, Sides, Transformation,
    Variant, VariantId,
};
use renditions::NewRendition;

/// Sides of the squares that the thumbnails of every image fit into, in pixels.
const THUMBNAIL_SIDES: [u32; 3] = [160, 320, 640];
/// Side of the square that the rendition for the blurhash fits into, in pixels.
const PLACEHOLDER_SIDE: u32 = 64;

/// A variant to create, and the query of the URL that it is delivered at.
pub(crate) struct PlannedVariant {
    pub(crate) rendition: NewRendition,
    /// `None` for a variant that is not listed as a thumbnail.
    pub(crate) query: Option<String>,
    /// Whether every image has it, also if its upload config does not request it.
    pub(crate) is_automatic: bool,
}

/// Returns the rendition that the blurhash is computed from: small, lossless, without a watermark.
pub(crate) fn placeholder() -> NewRendition {
    NewRendition {
        id: VariantId::placeholder(),
        variant: Variant {
            transformation: Some(fitted(PLACEHOLDER_SIDE, ImageFormat::Png)),
            format: ImageFormat::Png,
            accepts_webp: false,
            watermark: None,
            may_enlarge: true,
            output: None,
        },
    }
}

impl PlannedVariant {
    /// Returns the variant with its output, which delivery looks for.
    pub(crate) fn resolved(self, file: &File) -> PlannedVariant {
        let variant = renditions::resolve(self.rendition.variant, file);
        let id = variant.id();
        PlannedVariant {
            rendition: NewRendition { id, variant },
            ..self
        }
    }
}

/// Returns the thumbnails of every image: as WebP, of an animation its first frame as PNG. A size
/// is left out if the image is not larger, except the first.
pub(crate) fn thumbnails(
    longest_side: u32,
    is_animated: bool,
    watermark: Option<AppliedWatermark>,
) -> Vec<PlannedVariant> {
    let format = if is_animated {
        ImageFormat::Png
    } else {
        ImageFormat::WebP
    };
    let is_needed = |side: &u32| *side == THUMBNAIL_SIDES[0] || *side < longest_side;
    let sides = THUMBNAIL_SIDES.into_iter().filter(is_needed);
    sides
        .map(|side| PlannedVariant {
            is_automatic: true,
            ..listed(fitted(side, format), format, watermark)
        })
        .collect()
}

/// Returns the variants of an eager transformation. One without a format is created in each format
/// that delivery selects from for clients that accept WebP.
pub(crate) fn eager(
    eager: EagerTransformation,
    mime_type: &str,
    watermark: Option<AppliedWatermark>,
) -> Vec<PlannedVariant> {
    let transformation = eager.requested();
    if let Some(format) = transformation.format {
        return vec![listed(transformation, format, watermark)];
    }

    let original = ImageFormat::of_original(mime_type);
    let mut planned = vec![listed(transformation, original, watermark)];
    for format in [ImageFormat::WebP, ImageFormat::Avif] {
        let is_selected = format != ImageFormat::Avif || !ImageFormat::prefers_webp(mime_type);
        if is_selected && format != original {
            planned.push(PlannedVariant {
                query: None,
                ..listed(transformation, format, watermark)
            });
        }
    }
    planned
}

fn listed(
    transformation: Transformation,
    format: ImageFormat,
    watermark: Option<AppliedWatermark>,
) -> PlannedVariant {
    let variant = Variant {
        transformation: Some(transformation),
        format,
        accepts_webp: true,
        watermark,
        may_enlarge: true,
        output: None,
    };
    PlannedVariant {
        rendition: NewRendition {
            id: variant.id(),
            variant,
        },
        query: Some(transformation.to_string()),
        is_automatic: false,
    }
}

/// Returns the transformation of an image that fits into a square.
fn fitted(side: u32, format: ImageFormat) -> Transformation {
    let sides = Sides::Both {
        width: side,
        height: side,
    };
    Transformation {
        resize: Some(Resize::Fit(sides)),
        format: Some(format),
        ..Transformation::default()
    }
}
