//! Rendering of one image: its plan, and the fields that its errors are about.

use std::{error::Error, fmt};

use bytes::Bytes;
use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    files::{File, ResourceType},
    renditions::{Rendition, Resize, Sides},
};
use media::{
    error::MediaError,
    format::Format,
    render::{RenderPlan, RenderedImage, Source, WatermarkLayer, render},
};
use space_store::objects::{NewRendition, RenditionInfo};

use crate::{
    MAX_SOURCE_BYTES,
    negotiation::{format_of, formats, suits},
    options::{plan_options, render_options},
    output::resolve_for_size,
};

/// Field of errors that concern the original, which is not a field of the request.
const FILE: &str = "file";

/// A rendition whose format is chosen and whose limits are checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedRendition {
    rendition: Rendition,
    format: Format,
    /// Estimated peak memory, in bytes.
    pub(crate) memory_bytes: u64,
}

/// Fails with 422 if a file is no image, a raw photo, whose TIFF shows a preview at most, or too
/// large to be read into memory.
pub fn require_source(file: &File) -> Result<(), ServiceError> {
    let is_raw_photo = formats::is_raw_photo(&file.mime_type);
    if file.resource_type != ResourceType::Image || is_raw_photo {
        return Err(invalid(&FieldError::Custom(
            "must be an image other than a raw photo to be transformed",
        )));
    }
    if file.size > MAX_SOURCE_BYTES {
        return Err(invalid(&FieldError::Custom(
            "must not be greater than 100 MiB to be transformed or to have thumbnails or a watermark",
        )));
    }
    Ok(())
}

impl PlannedRendition {
    /// Chooses the format, and checks the limits from the image's headers.
    pub(crate) fn plan(
        bytes: &[u8],
        rendition: Rendition,
    ) -> Result<PlannedRendition, ServiceError> {
        let to_service_error = |error| rendering_error(error, rendition);
        let source = Source::read(bytes).map_err(to_service_error)?;
        let rendition = resolve_for_size(rendition, source.info().displayed());
        let chosen = choose_format(&source, rendition).map_err(to_service_error)?;

        Ok(PlannedRendition {
            rendition,
            format: chosen.format,
            memory_bytes: chosen.plan.memory_bytes,
        })
    }

    /// Renders the image. Blocks the thread for seconds.
    pub(crate) fn run(
        self,
        bytes: &[u8],
        watermark: Option<&WatermarkLayer>,
    ) -> Result<NewRendition, ServiceError> {
        let options = render_options(self.rendition, self.format, watermark);
        let rendered =
            render(bytes, &options).map_err(|error| rendering_error(error, self.rendition))?;

        Ok(new_rendition(rendered))
    }
}

/// Returns a rendered image as a rendition to store.
pub(crate) fn new_rendition(rendered: RenderedImage) -> NewRendition {
    NewRendition {
        info: RenditionInfo {
            content_type: rendered.format.media_type().mime_type,
            width: rendered.width,
            height: rendered.height,
        },
        bytes: Bytes::from(rendered.bytes),
    }
}

/// A format and the plan to render it.
pub(crate) struct ChosenFormat {
    pub(crate) format: Format,
    pub(crate) plan: RenderPlan,
}

/// Returns the first format of a rendition in which the image can be rendered. Fails with the error
/// of the last one.
pub(crate) fn choose_format(
    source: &Source,
    rendition: Rendition,
) -> Result<ChosenFormat, MediaError> {
    let info = source.info();
    let original = info.format.media_type().mime_type;
    let mut exceeded = None;

    for image_format in formats(rendition, &original, Some(info.has_alpha)) {
        let format = format_of(image_format);
        match source.plan(&plan_options(rendition, format)) {
            Ok(plan) => {
                let output = plan.geometry.output();
                if !rendition.is_replaceable() || suits(image_format, info, output) {
                    return Ok(ChosenFormat { format, plan });
                }
            }
            Err(error) if is_about_format(&error) => exceeded = Some(error),
            Err(error) => return Err(error),
        }
    }

    // The last format suits every image, so it exceeded a limit.
    Err(exceeded.unwrap_or(MediaError::Encoding("no format suits the image".to_owned())))
}

/// Whether another format may not have the error.
fn is_about_format(error: &MediaError) -> bool {
    matches!(
        error,
        MediaError::DimensionsTooLarge { .. }
            | MediaError::TooManyPixelsForFormat { .. }
            | MediaError::RenderingTooSlow { .. }
    )
}

/// Returns the field that determines the size of the output: the file itself, unless it is resized.
fn size_field(rendition: Rendition) -> &'static str {
    let resize = rendition
        .transformation
        .and_then(|transformation| transformation.resize);
    match resize {
        None => FILE,
        Some(Resize::Fill { .. }) => "w",
        Some(Resize::Scale(sides) | Resize::Fit(sides) | Resize::Crop { sides, .. }) => match sides
        {
            Sides::Width(_) | Sides::Both { .. } => "w",
            Sides::Height(_) => "h",
        },
    }
}

/// Returns the field that determines the format: that of the size, if the format was not requested.
fn format_field(rendition: Rendition) -> &'static str {
    let requested = rendition
        .transformation
        .and_then(|transformation| transformation.format);
    if requested.is_some() {
        "f"
    } else {
        size_field(rendition)
    }
}

/// Cause of the errors of images that cannot be rendered.
#[derive(Debug)]
struct Unrenderable;

impl fmt::Display for Unrenderable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the image cannot be rendered")
    }
}

impl Error for Unrenderable {}

/// Whether the image is the cause of an error, so that each rendering of it fails.
pub fn is_unrenderable(error: &ServiceError) -> bool {
    let cause = error.source.as_deref();
    let unrenderable = cause.and_then(|cause| cause.downcast_ref::<Unrenderable>());
    unrenderable.is_some()
}

/// Returns an error of the original.
pub(crate) fn invalid(field_error: &FieldError) -> ServiceError {
    unrenderable(FieldErrors::of_resource(FILE, field_error))
}

fn unrenderable(field_errors: FieldErrors) -> ServiceError {
    ServiceError {
        source: Some(Unrenderable.into()),
        ..field_errors.into()
    }
}

/// Returns the error of an image that cannot be decoded.
pub(crate) fn undecodable() -> ServiceError {
    invalid(&FieldError::Custom(
        "must be an image that can be decoded to be transformed",
    ))
}

/// Returns the error of a request for an image that cannot be rendered.
pub(crate) fn rendering_error(error: MediaError, rendition: Rendition) -> ServiceError {
    let on = |field: &'static str, field_error: FieldError| -> ServiceError {
        match field {
            FILE => invalid(&field_error),
            parameter => unrenderable(FieldErrors::from((parameter, field_error))),
        }
    };

    match error {
        MediaError::Truncated => invalid(&FieldError::Custom("is a truncated image")),
        MediaError::UnsupportedFormat(Format::Avif | Format::Heic) => invalid(&FieldError::Custom(
            "is an AVIF or HEIC original of a kind that cannot be transformed or have a watermark",
        )),
        MediaError::Malformed(_) | MediaError::UnsupportedFormat(_) => undecodable(),
        MediaError::SideTooLarge { limit, .. } => invalid(&FieldError::SideTooLarge(limit)),
        MediaError::TooManyPixels { limit, .. } => invalid(&FieldError::TooManyPixels(limit)),
        MediaError::TooManyScans(_) => {
            invalid(&FieldError::Custom("must be a JPEG with at most 200 scans"))
        }
        MediaError::AnimationTooLarge => invalid(&FieldError::Custom(
            "must be an animation with at most 3,000 frames and 250 million pixels in all frames; as f=jpeg, png or avif, the first frame is delivered",
        )),
        MediaError::AnimatedOutputTooLarge { .. } => on(
            size_field(rendition),
            FieldError::Custom(
                "must be smaller for an animation with this many frames: all frames together may have at most 25 million pixels as GIF, and 50 million as WebP",
            ),
        ),
        MediaError::TooManyCodes { .. } => invalid(&FieldError::Custom(
            "must be a WebP with smaller code tables to be transformed",
        )),
        MediaError::DecodingTooSlow { .. } | MediaError::DecodingTimedOut => invalid(
            &FieldError::Custom("takes too long to be decoded; it must have fewer pixels or scans"),
        ),
        MediaError::OutputTooLarge { limit, .. } => {
            on(size_field(rendition), FieldError::TooManyPixels(limit))
        }
        MediaError::DimensionsTooLarge { .. } => on(
            format_field(rendition),
            FieldError::Custom("must be a format that supports images of this size"),
        ),
        MediaError::TooManyPixelsForFormat { limit, .. } => {
            on(format_field(rendition), FieldError::TooManyPixels(limit))
        }
        MediaError::RenderingTooSlow { .. } => on(
            format_field(rendition),
            FieldError::Custom("takes too long to be rendered in this size"),
        ),
        error @ MediaError::Decoder(_) => ServiceError::unavailable(error),
        error @ MediaError::Encoding(_) => ServiceError::internal(error),
    }
}

#[cfg(test)]
mod tests;
