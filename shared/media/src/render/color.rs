//! Step 6: convert the colors to sRGB.

use crate::{color, pixels::Pixels};

use super::frame::{ColorModel, Picture};

/// Converts the colors to sRGB, and ignores a profile that cannot be used. Keeps luma and chroma of
/// sRGB colors if the encoder accepts them.
pub(super) fn apply(mut picture: Picture, keeps_ycc: bool) -> Picture {
    let is_kept = keeps_ycc && picture.pixels.profile.is_none();
    if picture.model == ColorModel::Ycc && !is_kept {
        picture = to_rgb(picture);
    }

    color::to_srgb(&mut picture.pixels);
    picture.pixels.profile = None;
    picture
}

/// Converts luma and chroma to RGB.
pub(super) fn to_rgb(picture: Picture) -> Picture {
    if picture.model == ColorModel::Rgb {
        return picture;
    }
    let mut pixels: Pixels = picture.pixels;
    for pixel in pixels.samples.as_chunks_mut::<3>().0 {
        *pixel = color::rgb_of_ycc(*pixel);
    }
    Picture {
        pixels,
        model: ColorModel::Rgb,
    }
}
