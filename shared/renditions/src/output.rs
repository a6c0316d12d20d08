//! The output of a variant, which is known before the image is read if its size is recorded.

use domain::{File, ImageSize, ServiceError, Variant, VariantOutput};
use media::{canonical_resize, plan, quality};

use crate::{
    negotiation::{format_of, formats, is_final, suits_size},
    render::rendering_error,
};

/// Properties of a variant that is not rendered, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedVariant {
    /// Content type; `None` if another format may replace the negotiated one.
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
    let resolved = resolve_for_size(variant, size);
    let Ok(output_size) = output_size(&resolved, size) else {
        return resolved;
    };
    let mut formats = formats(resolved, &file.mime_type).into_iter();
    let format = formats
        .find(|format| suits_size(*format, output_size))
        .unwrap_or(resolved.format);
    Variant {
        format,
        output: resolved.output.map(|output| VariantOutput {
            is_format_final: is_final(format, size, output_size),
            ..output
        }),
        ..resolved
    }
}

/// Returns a variant with its output for an image of this size.
pub(crate) fn resolve_for_size(variant: Variant, size: ImageSize) -> Variant {
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
            is_format_final: false,
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
        content_type: (!variant.is_replaceable()).then(content_type),
        size,
    })
}

/// Returns the size of the output for an image of this size. Fails with 422 if it exceeds the limit.
fn output_size(variant: &Variant, size: ImageSize) -> Result<ImageSize, ServiceError> {
    let geometry = plan(size, variant.resize());
    let geometry = geometry.map_err(|error| rendering_error(error, *variant))?;
    Ok(geometry.output())
}
