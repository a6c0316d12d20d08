//! The output of a variant, which is known before the image is read if its size is recorded.

use domain::{File, ImageFormat, ImageSize, ServiceError, Variant, VariantOutput};
use media::{Dimensions, MAX_NEGOTIATED_AVIF_PIXELS, canonical_resize, plan, quality};

use crate::{negotiation::format_of, render::rendering_error};

/// Properties of a variant that is not rendered, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedVariant {
    /// Content type; `None` if the format was negotiated, because another one may replace it.
    pub content_type: Option<String>,
    /// Size; `None` if that of the original is not recorded.
    pub size: Option<ImageSize>,
}

/// Returns a variant with its output, so that all requests with the same output have the same variant. A
/// variant of a file whose size is not recorded, or whose output exceeds a limit, is unchanged.
pub fn resolve(variant: Variant, file: &File) -> Variant {
    let Some(size) = file.displayed_size() else {
        return variant;
    };
    let resolved = resolve_for_size(variant, dimensions(size));
    let is_avif = resolved.is_negotiated() && resolved.format == ImageFormat::Avif;
    match output_size(&resolved, size) {
        Ok(output) if is_avif && output.pixels() > MAX_NEGOTIATED_AVIF_PIXELS => Variant {
            format: if resolved.accepts_webp {
                ImageFormat::WebP
            } else {
                ImageFormat::of_original(&file.mime_type)
            },
            ..resolved
        },
        _ => resolved,
    }
}

/// Returns a variant with its output for an image of this size.
pub(crate) fn resolve_for_size(variant: Variant, size: Dimensions) -> Variant {
    let Some(transformation) = variant.transformation.filter(|_| variant.output.is_none()) else {
        return variant;
    };
    let Ok(resize) = canonical_resize(size, transformation.resize, variant.may_enlarge) else {
        return variant;
    };
    let Ok(geometry) = plan(size, resize) else {
        return variant;
    };

    let output = geometry.output();
    Variant {
        output: Some(VariantOutput {
            resize,
            quality: quality(transformation.quality, output.width, output.height),
        }),
        ..variant
    }
}

/// Returns the properties of a variant that are known without reading the original. Fails with 422 if the
/// output exceeds the limit.
pub fn expected(variant: &Variant, file: &File) -> Result<ExpectedVariant, ServiceError> {
    let content_type = || format_of(variant.format).media_type().mime_type;
    let size = file
        .displayed_size()
        .map(|size| output_size(variant, size))
        .transpose()?;

    Ok(ExpectedVariant {
        content_type: (!variant.is_negotiated()).then(content_type),
        size: size.map(|Dimensions { width, height }| ImageSize { width, height }),
    })
}

/// Returns the size of the output for an image of this size. Fails with 422 if it exceeds the limit.
fn output_size(variant: &Variant, size: ImageSize) -> Result<Dimensions, ServiceError> {
    let geometry = plan(dimensions(size), variant.resize());
    let geometry = geometry.map_err(|error| rendering_error(error, *variant))?;
    Ok(geometry.output())
}

fn dimensions(size: ImageSize) -> Dimensions {
    let ImageSize { width, height } = size;
    Dimensions { width, height }
}
