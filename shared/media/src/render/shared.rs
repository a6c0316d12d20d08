//! Several renderings of one image, which is decoded and rotated once.
//!
//! Invariants:
//! - The decoded pixels have the resolution that the largest output needs.
//! - One output at a time is in memory, apart from the files that the caller keeps.

use domain::{Quality, Resize, Sides};
use fast_image_resize::FilterType;

use crate::{Dimensions, Format, MediaError, Pixels};

use super::{
    RenderOptions, RenderedImage, color, decode, finish,
    frame::{Frame, Picture},
    geometry::fitted,
    orient,
    plan::{Decoding, PlanOptions, RenderPlan, Source},
    render_animation, resize, select,
};

/// Maximum width and height of a preview, in pixels.
pub const PREVIEW_SIDE: u32 = 128;

/// Renderings of one image within all limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedPlan {
    /// Estimated peak memory in addition to the file and to rendered outputs that the caller keeps, in
    /// bytes.
    pub memory_bytes: u64,
    /// Estimated time of all outputs on one core, in milliseconds. Each output alone is within the
    /// limit of a rendering, but the sum is not limited.
    pub milliseconds: u64,
    decoding: Decoding,
}

impl Source<'_> {
    /// Plans several renderings. Ignores outputs that cannot be rendered, for which
    /// [`DecodedSource::render`] fails.
    ///
    /// Fails if the image takes too long to decode.
    pub fn plan_shared(&self, outputs: &[PlanOptions]) -> Result<SharedPlan, MediaError> {
        let preview = preview_options();
        let preview_plan = self.plan(&preview)?;
        let mut planned = vec![(preview, preview_plan)];
        planned.extend(outputs.iter().filter_map(|options| {
            let plan = self.plan(options).ok()?;
            Some((*options, plan))
        }));

        let stills = || planned.iter().filter(|(_, plan)| plan.frames == 1);
        let decoding = stills()
            .map(|(_, plan)| plan.decoding)
            .fold(preview_plan.decoding, Decoding::for_both);
        let decoded_bytes = self.decoded(decoding).bytes();
        let peak = |options: &PlanOptions, plan: &RenderPlan| {
            if plan.frames > 1 {
                plan.memory_bytes.saturating_add(decoded_bytes)
            } else {
                let steps = self.steps(options, plan.geometry, decoding);
                steps.shared_peak_bytes()
            }
        };
        let peaks = planned.iter().map(|(options, plan)| peak(options, plan));

        let decoding_time = self.decoding_time();
        let times = planned.iter().map(|(_, plan)| {
            let repeated = if plan.frames > 1 { 0 } else { decoding_time };
            plan.milliseconds.saturating_sub(repeated)
        });
        Ok(SharedPlan {
            memory_bytes: peaks.max().unwrap_or(0),
            milliseconds: times.fold(decoding_time, u64::saturating_add),
            decoding,
        })
    }

    /// Decodes the image for all outputs of a plan of this source; of an animation, its first frame.
    ///
    /// Fails if the file is damaged.
    pub fn decode(&self, plan: &SharedPlan) -> Result<DecodedSource<'_>, MediaError> {
        let decoded = decode::read(self.bytes(), self.info(), plan.decoding)?;
        Ok(DecodedSource {
            source: self,
            frame: orient::apply(decoded, self.info().orientation),
        })
    }
}

fn preview_options() -> PlanOptions {
    PlanOptions {
        resize: Some(Resize::Fit(Sides::Both {
            width: PREVIEW_SIDE,
            height: PREVIEW_SIDE,
        })),
        format: Format::Png,
        quality: Quality::Auto,
        has_watermark: false,
    }
}

/// A decoded image in display orientation.
pub struct DecodedSource<'a> {
    source: &'a Source<'a>,
    frame: Frame,
}

impl DecodedSource<'_> {
    /// Renders an output like [`render`](crate::render()). It must be in the plan: the pixels may have
    /// too low a resolution for a larger one. Animations are decoded again, frame by frame.
    pub fn render(&self, options: &RenderOptions) -> Result<RenderedImage, MediaError> {
        let plan = self.source.plan(&PlanOptions::from(options))?;
        if plan.frames > 1 {
            return render_animation(self.source, &plan, options);
        }

        let crop = select(&self.frame, &plan, options)?;
        let resized = resize::copied(&self.frame, plan.geometry.resized, crop)?;
        finish(resized, options)
    }

    /// Returns the whole image in sRGB, reduced to at most [`PREVIEW_SIDE`] pixels per side, for
    /// [`blurhash`](crate::blurhash()) and [`dominant_color`](crate::dominant_color).
    pub fn preview(&self) -> Result<Pixels, MediaError> {
        let limits = Dimensions {
            width: PREVIEW_SIDE,
            height: PREVIEW_SIDE,
        };
        let size = fitted(self.source.info().displayed(), limits);
        let pixels = resize::merged(&self.frame, |whole| whole, size, FilterType::Bilinear)?;
        let picture = Picture {
            pixels: Pixels {
                profile: self.frame.profile.clone(),
                ..pixels
            },
            model: self.frame.model,
        };
        Ok(color::apply(picture, false).pixels)
    }
}
