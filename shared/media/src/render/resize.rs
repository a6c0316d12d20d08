//! Step 5: resize the part that is kept to the output size.
//!
//! Pixels next to this part contribute to its edges, as if the whole image were resized and then
//! cropped on whole pixels.
//!
//! Chroma that the encoder halves is resized to half the size, rather than twice, and each sample
//! is repeated: the encoder gets the same chroma back from its 2 × 2 means.

use domain::naming::ImageSize;
use fast_image_resize::{
    FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::{U8, U8x3, U8x4},
};

use crate::{
    error::MediaError,
    pixels::{Channels, Pixels},
};

use super::{
    frame::{Frame, Layer, Picture},
    geometry::Geometry,
    region::Region,
};
use crate::pixels::Rectangle;

/// Resolution of chroma in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chroma {
    Full,
    /// The encoder keeps a sample for 2 × 2 pixels.
    Half,
}

/// Resizes the image to a size, and returns the crop rectangle of the result.
pub(super) fn apply(
    frame: Frame,
    geometry: Geometry,
    chroma: Chroma,
) -> Result<Picture, MediaError> {
    let model = frame.model;
    let profile = frame.profile.clone();
    let pixels = cropped(frame, geometry, chroma)?;
    Ok(Picture {
        pixels: Pixels { profile, ..pixels },
        model,
    })
}

/// Resizes the image like [`apply`], and keeps it for further outputs.
pub(super) fn copied(
    frame: &Frame,
    geometry: Geometry,
    chroma: Chroma,
) -> Result<Picture, MediaError> {
    let pixels = match &frame.layers[..] {
        [layer] if keeps_pixels(layer, geometry) => layer.pixels.clone(),
        _ => resampled(frame, geometry, chroma)?,
    };
    Ok(Picture {
        pixels: Pixels {
            profile: frame.profile.clone(),
            ..pixels
        },
        model: frame.model,
    })
}

fn cropped(mut frame: Frame, geometry: Geometry, chroma: Chroma) -> Result<Pixels, MediaError> {
    if let [layer] = &frame.layers[..]
        && keeps_pixels(layer, geometry)
    {
        let Layer { pixels, .. } = frame.layers.remove(0);
        return Ok(pixels);
    }
    resampled(&frame, geometry, chroma)
}

/// Whether a layer already is the output.
fn keeps_pixels(layer: &Layer, geometry: Geometry) -> bool {
    let size = geometry.resized;
    let is_whole = geometry.output() == size;
    is_whole && layer.pixels.size() == size && layer.region == Region::whole(&layer.pixels)
}

fn resampled(frame: &Frame, geometry: Geometry, chroma: Chroma) -> Result<Pixels, MediaError> {
    // Other colors than those of the output are converted pixel by pixel.
    if let (Chroma::Half, None, [luma, blue, red]) = (chroma, &frame.profile, &frame.layers[..]) {
        return with_half_chroma([luma, blue, red], geometry);
    }
    merged(
        frame,
        |region| region.part(geometry.resized, geometry.crop),
        geometry.output(),
        FilterType::Lanczos3,
    )
}

/// Resizes chroma to half the size, and repeats its samples. An odd last row or column has those of
/// the one before.
fn with_half_chroma(
    [luma, blue, red]: [&Layer; 3],
    Geometry { resized, crop }: Geometry,
) -> Result<Pixels, MediaError> {
    let half = ImageSize::new((crop.width / 2).max(1), (crop.height / 2).max(1));
    let pairs = Rectangle {
        width: half.width * 2,
        height: half.height * 2,
        ..crop
    };
    let layer = |layer: &Layer, part: Rectangle, size: ImageSize| {
        let region = layer.region.part(resized, part);
        self::resized(&layer.pixels, region, size, FilterType::Lanczos3)
    };
    let luma = layer(luma, crop, crop.size())?;
    let blue = layer(blue, pairs, half)?;
    let red = layer(red, pairs, half)?;

    let mut merged = Pixels::zeroed(crop.size(), Channels::Rgb);
    let row = merged.row_bytes();
    let rows = merged.samples.chunks_exact_mut(row);
    let rows = rows.zip(luma.samples.chunks_exact(luma.row_bytes()));
    for (y, (pixels, luma)) in rows.enumerate() {
        let start = blue.row_bytes() * (y / 2).min(half.height as usize - 1);
        let samples = start..start + blue.row_bytes();
        let chroma = blue.samples[samples.clone()].iter();
        let chroma = chroma.zip(&red.samples[samples]);
        let last = chroma.clone().next_back();
        let pairs = pixels.chunks_mut(6).zip(luma.chunks(2));

        for ((pixels, luma), (blue, red)) in pairs.zip(chroma.chain(last)) {
            for (pixel, luma) in pixels.as_chunks_mut::<3>().0.iter_mut().zip(luma) {
                *pixel = [*luma, *blue, *red];
            }
        }
    }
    Ok(merged)
}

/// Resizes the same part of all layers, and returns them as one.
pub(super) fn merged(
    frame: &Frame,
    part: impl Fn(Region) -> Region,
    size: ImageSize,
    filter: FilterType,
) -> Result<Pixels, MediaError> {
    let layers = frame.layers.iter();
    let mut resized = layers
        .map(|layer| resized(&layer.pixels, part(layer.region), size, filter))
        .collect::<Result<Vec<Pixels>, MediaError>>()?;

    match &resized[..] {
        [luma, blue, red] => {
            let mut merged = Pixels::zeroed(size, Channels::Rgb);
            let planes = luma.samples.iter().zip(&blue.samples).zip(&red.samples);
            let (pixels, _) = merged.samples.as_chunks_mut::<3>();

            for (pixel, ((luma, blue), red)) in pixels.iter_mut().zip(planes) {
                *pixel = [*luma, *blue, *red];
            }
            Ok(merged)
        }
        [_] => Ok(resized.remove(0)),
        _ => Err(MediaError::malformed("an image has one or three layers")),
    }
}

/// Resizes a region of an image. The alpha channel weights the colors.
pub(super) fn resized(
    pixels: &Pixels,
    region: Region,
    size: ImageSize,
    filter: FilterType,
) -> Result<Pixels, MediaError> {
    // Rounding must not move the region out of the image.
    let width = region.width.min(f64::from(pixels.width) - region.left);
    let height = region.height.min(f64::from(pixels.height) - region.top);
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(filter))
        .crop(region.left, region.top, width, height);

    let mut target = Pixels::zeroed(size, pixels.channels);
    let convolve = match pixels.channels {
        Channels::Gray => convolve::<U8>,
        Channels::Rgb => convolve::<U8x3>,
        Channels::Rgba => convolve::<U8x4>,
    };
    convolve(pixels, &mut target, &options)?;
    Ok(target)
}

/// Resizes images whose pixels have the type `P`. `Resizer::resize`, which reads the type from the
/// images, would compile the code of all 13 types into this crate.
fn convolve<P: PixelTrait>(
    source: &Pixels,
    target: &mut Pixels,
    options: &ResizeOptions,
) -> Result<(), MediaError> {
    let source = TypedImageRef::<P>::from_buffer(source.width, source.height, &source.samples)
        .map_err(MediaError::encoding)?;
    let mut target = TypedImage::<P>::from_buffer(target.width, target.height, &mut target.samples)
        .map_err(MediaError::encoding)?;

    Resizer::new()
        .resize_typed(&source, &mut target, options)
        .map_err(MediaError::encoding)
}
