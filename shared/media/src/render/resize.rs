//! Step 4: resize the part that is kept to the output size.
//!
//! Pixels next to this part contribute to its edges, as if the whole image were resized and then
//! cropped on whole pixels.

use domain::ImageSize;
use fast_image_resize::{
    FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::{U8, U8x3, U8x4},
};

use crate::{Channels, MediaError, Pixels};

use super::{
    frame::{Frame, Layer, Picture},
    geometry::Rectangle,
    region::Region,
};

/// Resizes the image to a size, and returns the crop rectangle of the result.
pub(super) fn apply(
    mut frame: Frame,
    size: ImageSize,
    crop: Rectangle,
) -> Result<Picture, MediaError> {
    let model = frame.model;
    let profile = frame.profile.take();
    let pixels = cropped(frame, size, crop)?;
    Ok(Picture {
        pixels: Pixels { profile, ..pixels },
        model,
    })
}

/// Resizes the image like [`apply`], and keeps it for further outputs.
pub(super) fn copied(
    frame: &Frame,
    size: ImageSize,
    crop: Rectangle,
) -> Result<Picture, MediaError> {
    let pixels = match &frame.layers[..] {
        [layer] if keeps_pixels(layer, size, crop) => layer.pixels.clone(),
        _ => resampled(frame, size, crop)?,
    };
    Ok(Picture {
        pixels: Pixels {
            profile: frame.profile.clone(),
            ..pixels
        },
        model: frame.model,
    })
}

fn cropped(mut frame: Frame, size: ImageSize, crop: Rectangle) -> Result<Pixels, MediaError> {
    if let [layer] = &frame.layers[..]
        && keeps_pixels(layer, size, crop)
    {
        let Layer { pixels, .. } = frame.layers.remove(0);
        return Ok(pixels);
    }
    resampled(&frame, size, crop)
}

/// Whether a layer already is the output.
fn keeps_pixels(layer: &Layer, size: ImageSize, crop: Rectangle) -> bool {
    let is_whole = crop.size() == size;
    is_whole && layer.pixels.size() == size && layer.region == Region::whole(&layer.pixels)
}

fn resampled(frame: &Frame, size: ImageSize, crop: Rectangle) -> Result<Pixels, MediaError> {
    merged(
        frame,
        |region| region.part(size, crop),
        crop.size(),
        FilterType::Lanczos3,
    )
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
