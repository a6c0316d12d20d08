//! The output of a rendition, which is known before the image is read if its size is recorded.

use domain::{
    errors::ServiceError,
    files::File,
    naming::ImageSize,
    renditions::{ImageFormat, Rendition, RenditionOutput},
};
use media::{
    encode::quality,
    render::{canonical_resize, plan},
};

use crate::{
    negotiation::{format_of, formats, is_final, is_heif, restricting_format, suits_size},
    render::rendering_error,
};

/// Properties of a rendition that is not rendered, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedRendition {
    /// Content type; `None` if another format may replace the negotiated one.
    pub content_type: Option<String>,
    /// Size; `None` if that of the original is not recorded.
    pub size: Option<ImageSize>,
}

/// Returns a rendition with its output, so that all requests with the same output have the same
/// rendition. A rendition of a file whose size is not recorded, or whose output exceeds a limit, is
/// unchanged.
pub fn resolve(rendition: Rendition, file: &File) -> Rendition {
    let Some(size) = file.displayed_size() else {
        return rendition;
    };

    let resolved = resolve_for_size(rendition, size);
    let Ok(output_size) = output_size(&resolved, size) else {
        return resolved;
    };

    let mut formats = formats(resolved, &file.mime_type, file.has_alpha()).into_iter();
    let format = formats
        .find(|format| suits_size(*format, output_size))
        .unwrap_or(resolved.format);
    let original = restricting_format(&file.mime_type);
    // Until it is processed, a HEIC or AVIF may have alpha.
    let may_have_alpha = original.is_some_and(is_heif) && file.has_alpha().is_none();
    let may_become_png = format == ImageFormat::Jpeg && may_have_alpha;

    Rendition {
        format,
        output: resolved.output.map(|output| RenditionOutput {
            is_format_final: is_final(format, original, size, output_size) && !may_become_png,
            ..output
        }),
        ..resolved
    }
}

/// Returns a rendition with its output for an image of this size.
pub(crate) fn resolve_for_size(rendition: Rendition, size: ImageSize) -> Rendition {
    let Some(transformation) = rendition
        .transformation
        .filter(|_| rendition.output.is_none())
    else {
        return rendition;
    };
    let Ok(resize) = canonical_resize(size, transformation.resize, rendition.may_enlarge) else {
        return rendition;
    };
    let Ok(geometry) = plan(size, resize) else {
        return rendition;
    };

    let output = geometry.output();
    Rendition {
        output: Some(RenditionOutput {
            resize,
            quality: quality(transformation.quality, output.width, output.height),
            is_format_final: false,
        }),
        ..rendition
    }
}

/// Returns the properties of a rendition that are known without reading the original. Fails with
/// 422 if the output exceeds the limit.
pub fn expected(rendition: &Rendition, file: &File) -> Result<ExpectedRendition, ServiceError> {
    let content_type = || format_of(rendition.format).media_type().mime_type;
    let size = file
        .displayed_size()
        .map(|size| output_size(rendition, size))
        .transpose()?;

    Ok(ExpectedRendition {
        content_type: (!rendition.is_replaceable()).then(content_type),
        size,
    })
}

/// Returns the size of the output for an image of this size. Fails with 422 if it exceeds the
/// limit.
fn output_size(rendition: &Rendition, size: ImageSize) -> Result<ImageSize, ServiceError> {
    let geometry = plan(size, rendition.resize());
    let geometry = geometry.map_err(|error| rendering_error(error, *rendition))?;
    Ok(geometry.output())
}
