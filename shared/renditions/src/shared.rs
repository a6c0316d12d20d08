//! Rendering of several renditions of one file, which is decoded once.
//!
//! Invariant: an output that cannot be rendered fails no other one.

use std::time::Duration;

use domain::{
    errors::{FieldError, ServiceError},
    renditions::{ImageFormat, Rendition},
};
use media::{
    format::Format,
    render::{DecodedSource, SharedPlan, Source, WatermarkLayer},
};
use space_store::objects::NewRendition;
use tokio::time::Instant;

use crate::{
    options::{plan_options, render_options},
    render::{choose_format, invalid, new_rendition, rendering_error},
};

/// Maximum estimated time of all outputs together, in milliseconds. Outputs that exceed it are not
/// rendered.
const MAX_MILLISECONDS: u64 = 60_000;

/// Time after which no further output is begun, if the estimates were too low. The last one may
/// take as long as a single rendering, which leaves time until the end of an invocation of two
/// minutes.
const MAX_RUN: Duration = Duration::from_secs(70);

/// Stands for the image itself in errors that concern all outputs.
const WHOLE_IMAGE: Rendition = Rendition {
    transformation: None,
    format: ImageFormat::Png,
    accepts_webp: false,
    watermark: None,
    may_enlarge: true,
    output: None,
};

/// The outputs of a file whose limits are checked.
pub(crate) struct SharedRendering {
    outputs: Vec<Output>,
    plan: SharedPlan,
}

/// A rendition, and the format to render it in.
struct Output {
    rendition: Rendition,
    format: Result<Format, ServiceError>,
}

impl SharedRendering {
    /// Chooses the format of each rendition, and checks the limits from the image's headers. Blocks
    /// the thread for a short time.
    ///
    /// Fails with the error of the first rendition if none can be rendered.
    pub(crate) fn plan(
        bytes: &[u8],
        renditions: &[Rendition],
    ) -> Result<SharedRendering, ServiceError> {
        let to_service_error = |error| rendering_error(error, WHOLE_IMAGE);
        let source = Source::read(bytes).map_err(to_service_error)?;

        let mut left_milliseconds = MAX_MILLISECONDS;
        let mut outputs = Vec::new();
        let mut planned = Vec::new();
        for rendition in renditions {
            let format = choose_format(&source, *rendition)
                .map_err(|error| rendering_error(error, *rendition))
                .and_then(|chosen| {
                    left_milliseconds = left_milliseconds
                        .checked_sub(chosen.plan.milliseconds)
                        .ok_or_else(too_slow)?;
                    Ok(chosen.format)
                });
            if let Ok(format) = &format {
                planned.push(plan_options(*rendition, *format));
            }
            outputs.push(Output {
                rendition: *rendition,
                format,
            });
        }

        if planned.is_empty() {
            let mut errors = outputs.into_iter().filter_map(|output| output.format.err());
            let first = errors.next();
            return Err(
                first.unwrap_or_else(|| ServiceError::internal("no rendition is requested"))
            );
        }
        let plan = source.plan_shared(&planned).map_err(to_service_error)?;
        Ok(SharedRendering { outputs, plan })
    }

    /// Returns the estimated peak memory, in bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.plan.memory_bytes
    }

    /// Decodes the image and renders one output after the other. Passes each to `finish`, and ends
    /// early if that returns `false`. Fails outputs that it cannot begin in time, and fails as a
    /// whole if the image is damaged. Blocks the thread for up to two minutes.
    pub(crate) fn run(
        self,
        bytes: &[u8],
        layer: Option<&WatermarkLayer>,
        finish: impl Fn(Result<NewRendition, ServiceError>) -> bool,
    ) -> Result<(), ServiceError> {
        let to_service_error = |error| rendering_error(error, WHOLE_IMAGE);
        let source = Source::read(bytes).map_err(to_service_error)?;
        let mut decoded = source.decode(&self.plan).map_err(to_service_error)?;

        let started = Instant::now();
        for output in self.outputs {
            let rendered = if started.elapsed() < MAX_RUN {
                output.render(&mut decoded, layer)
            } else {
                Err(too_slow())
            };
            if !finish(rendered) {
                break;
            }
        }
        Ok(())
    }
}

impl Output {
    fn render(
        self,
        decoded: &mut DecodedSource<'_>,
        layer: Option<&WatermarkLayer>,
    ) -> Result<NewRendition, ServiceError> {
        let Output { rendition, format } = self;
        let options = render_options(rendition, format?, layer);
        let rendered = decoded
            .render(&options)
            .map_err(|error| rendering_error(error, rendition))?;

        Ok(new_rendition(rendered))
    }
}

fn too_slow() -> ServiceError {
    invalid(&FieldError::Custom(
        "takes too long to be rendered in all sizes",
    ))
}

#[cfg(test)]
mod tests {
    use domain::renditions::{Resize, Sides, Transformation};

    use super::*;
    use crate::slow_jpeg::slow_jpeg;

    fn thumbnail(width: u32) -> Rendition {
        Rendition {
            transformation: Some(Transformation {
                resize: Some(Resize::Fit(Sides::Width(width))),
                ..Transformation::default()
            }),
            ..WHOLE_IMAGE
        }
    }

    #[test]
    fn plan_of_an_image_without_renderable_renditions_fails_with_the_error_of_the_first() {
        let renditions = [thumbnail(64), thumbnail(160)];

        let planned = SharedRendering::plan(&slow_jpeg(), &renditions);

        let error = planned.err().expect("an image that takes too long");
        let messages = error.field_errors.into_messages();
        assert_eq!(
            messages["file"],
            ["The file takes too long to be decoded; it must have fewer pixels or scans."]
        );
    }
}
