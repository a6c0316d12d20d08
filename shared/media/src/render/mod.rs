//! Rendering of images for delivery, as an ordered list of steps.
//!
//! 1. `decode`: decode the pixels, JPEGs as small as the output allows
//! 2. `frame`: apply the EXIF orientation
//! 3. `saliency`: select the part that is kept, by gravity or saliency
//! 4. `cover`: composite the watermark over the image, before anything is cropped or resized
//! 5. `resize`: resize the kept part to the output size
//! 6. `color`: convert the colors to sRGB, after downscaling because there are fewer pixels
//! 7. `watermark`: composite the watermark again if the output does not completely show it
//! 8. `encode`: encode without metadata
//!
//! Steps 1 and 2 are shared by several outputs of one image (`shared`).
//! The frames of an animation pass through the same steps one after the other (`animation`).
//!
//! Invariants:
//! - Input and output are checked against all limits by a plan, before a pixel is decoded.
//! - Positions are relative to the image in full size, also if it is decoded in a smaller size.
//! - Outputs have sRGB colors and contain neither metadata nor a color profile.
//! - A watermark covers the same pixels of the image in every output, so that no set of outputs
//!   shows the pixels beneath an opaque one. Only the saliency of [`Focus::Auto`] reads pixels
//!   without the watermark, which would otherwise attract every crop.

mod animation;
mod canonical;
mod color;
mod cover;
mod decode;
mod encode;
mod frame;
mod geometry;
mod plan;
mod region;
mod resize;
mod saliency;
mod shared;
mod watermark;

pub use canonical::canonical_resize;
pub use geometry::{Geometry, MAX_OUTPUT_PIXELS, plan};
pub use plan::{PlanOptions, RenderPlan, Source};
pub use shared::{DecodedSource, SharedPlan};
pub use watermark::WatermarkLayer;

use domain::renditions::{Focus, Quality, Resize};

use crate::{error::MediaError, format::Format};

use self::{animation::Animation, cover::Cover, frame::Picture};

#[derive(Clone, Copy, Debug)]
pub struct RenderOptions<'a> {
    /// Size of the output; `None` keeps the size of the image.
    pub resize: Option<Resize>,
    /// Target format: JPEG, PNG, WebP, AVIF or GIF.
    pub format: Format,
    /// Quality; ignored by PNG and GIF.
    pub quality: Quality,
    pub watermark: Option<&'a WatermarkLayer>,
}

impl RenderOptions<'_> {
    /// Creates options that keep the size, with automatic quality and without a watermark.
    pub const fn new(format: Format) -> RenderOptions<'static> {
        RenderOptions {
            resize: None,
            format,
            quality: Quality::Auto,
            watermark: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedImage {
    pub bytes: Vec<u8>,
    pub format: Format,
    pub width: u32,
    pub height: u32,
}

fn focus(resize: Option<Resize>) -> Option<Focus> {
    match resize {
        Some(Resize::Fill { focus, .. } | Resize::Crop { focus, .. }) => Some(focus),
        Some(Resize::Scale(_) | Resize::Fit(_)) | None => None,
    }
}

/// Renders an image of any format that can be decoded. An animated GIF or WebP stays animated if it
/// is rendered as GIF or WebP; of other animations, and in other formats, the first frame is
/// rendered.
///
/// Fails if the file is truncated or damaged, and like [`Source::read`] and [`Source::plan`], which
/// estimates the memory and the time.
pub fn render(bytes: &[u8], options: &RenderOptions) -> Result<RenderedImage, MediaError> {
    let source = Source::read(bytes)?;
    let plan = source.plan(&PlanOptions::from(options))?;
    if plan.frames > 1 {
        return render_animation(&source, &plan, options);
    }

    let decoded = decode::read(bytes, source.info(), plan.decoding)?;
    let mut frame = decoded.oriented(source.info().orientation);
    let geometry = saliency::select(&frame, &plan.geometry, focus(options.resize))?;

    let mut repeated = None;
    if let Some(watermark) = options.watermark {
        let image = source.info().displayed();
        let mut cover = Cover::new(watermark, &frame, image)?;
        cover.swap(&mut frame);
        repeated = (!geometry.shows(cover.at(), image)).then_some(watermark);
    }

    let resized = resize::apply(frame, geometry, plan.chroma())?;
    finish(resized, repeated, options)
}

fn render_animation(
    source: &Source,
    plan: &RenderPlan,
    options: &RenderOptions,
) -> Result<RenderedImage, MediaError> {
    let animation = Animation {
        bytes: source.bytes(),
        probed: source.info(),
        frames: plan.frames,
    };
    animation::render(&animation, &plan.geometry, options)
}

/// Steps 6 to 8, with the watermark to composite again.
fn finish(
    resized: Picture,
    repeated: Option<&WatermarkLayer>,
    options: &RenderOptions,
) -> Result<RenderedImage, MediaError> {
    let keeps_ycc = options.format == Format::Jpeg;
    let colored = color::apply(resized, keeps_ycc);
    let marked = watermark::apply(colored, repeated)?;
    encode::write(marked, options)
}
