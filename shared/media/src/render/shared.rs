//! Several renderings of one image, which is decoded and rotated once.
//!
//! Invariants:
//! - The decoded pixels have the resolution that the largest output needs.
//! - One output at a time is in memory, apart from the files that the caller keeps.
//! - A watermark of one output is not on the others.

use crate::{error::MediaError, estimate::StillOutput, pixels::catch_codec_panic};

use super::{
    RenderOptions, RenderedImage,
    cover::{Cover, CoveredFrame},
    decode, finish, focus,
    frame::Frame,
    plan::{Decoding, PlanOptions, RenderPlan, Source},
    render_animation, resize, saliency,
};

/// Renderings of one image within all limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedPlan {
    /// Estimated peak memory in addition to the file and to rendered outputs that the caller keeps,
    /// in bytes.
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
    /// Fails with the error of the first output if none can be rendered.
    pub fn plan_shared(&self, outputs: &[PlanOptions]) -> Result<SharedPlan, MediaError> {
        let mut planned = Vec::new();
        let mut first_error = None;
        for options in outputs {
            match self.plan(options) {
                Ok(plan) => planned.push((*options, plan)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }

        // Animations are decoded by each output itself.
        let stills = planned.iter().filter(|(_, plan)| plan.frames == 1);
        let decoding = stills
            .map(|(_, plan)| plan.decoding)
            .reduce(Decoding::for_both)
            .or_else(|| planned.first().map(|(_, plan)| plan.decoding));
        let decoding = decoding.ok_or_else(|| {
            first_error.unwrap_or_else(|| MediaError::malformed("no output is requested"))
        })?;
        let decoded_bytes = self.cost.decoded_bytes(self.info(), decoding.shrink);
        let peak = |options: &PlanOptions, plan: &RenderPlan| {
            if plan.frames > 1 {
                return plan.memory_bytes + decoded_bytes;
            }
            let still = StillOutput {
                work: plan.work,
                shrink: decoding.shrink,
                has_watermark: options.has_watermark,
                is_shared: true,
            };
            self.cost.peak_bytes(self.info(), &still)
        };
        let peaks = planned.iter().map(|(options, plan)| peak(options, plan));

        let decoding_time = self.cost.milliseconds;
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

    /// Decodes the image for all outputs of a plan of this source; of an animation, its first
    /// frame.
    ///
    /// Fails if the file is damaged.
    pub fn decode(&self, plan: &SharedPlan) -> Result<DecodedSource<'_>, MediaError> {
        let decoded = decode::read(self.bytes(), self.info(), plan.decoding)?;
        Ok(DecodedSource {
            source: self,
            frame: decoded.oriented(self.info().orientation),
        })
    }
}

/// A decoded image in display orientation.
pub struct DecodedSource<'a> {
    source: &'a Source<'a>,
    frame: Frame,
}

impl DecodedSource<'_> {
    /// Renders an output like [`render`](crate::render::render()). It must be in the plan: the
    /// pixels may have too low a resolution for a larger one. Animations are decoded again, frame
    /// by frame.
    pub fn render(&mut self, options: &RenderOptions) -> Result<RenderedImage, MediaError> {
        catch_codec_panic(MediaError::encoding, || self.render_output(options))
    }

    fn render_output(&mut self, options: &RenderOptions) -> Result<RenderedImage, MediaError> {
        let plan = self.source.plan(&PlanOptions::from(options))?;
        if plan.frames > 1 {
            return render_animation(self.source, &plan, options);
        }

        let geometry = saliency::select(&self.frame, &plan.geometry, focus(options.resize))?;
        let Some(watermark) = options.watermark else {
            let resized = resize::copied(&self.frame, geometry, plan.chroma())?;
            return finish(resized, None, options);
        };

        let image = self.source.info().displayed();
        let cover = Cover::new(watermark, &self.frame, image)?;
        let repeated = (!geometry.shows(cover.at(), image)).then_some(watermark);
        let covered = CoveredFrame::new(&mut self.frame, cover);
        let resized = resize::copied(covered.frame, geometry, plan.chroma())?;
        drop(covered);
        finish(resized, repeated, options)
    }
}
