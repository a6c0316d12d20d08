//! Step 5: convert the colors to sRGB.

use crate::{Pixels, color};

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
        *pixel = rgb(*pixel);
    }
    Picture {
        pixels,
        model: ColorModel::Rgb,
    }
}

/// Number of fractional bits of the factors.
const FRACTION_BITS: u32 = 16;
/// 1/2 with fractional bits.
const HALF: i32 = 1 << (FRACTION_BITS - 1);

/// Converts a color as the JPEG File Interchange Format specifies it (ITU-T T.871).
fn rgb([luma, blue, red]: [u8; 3]) -> [u8; 3] {
    let luma = i32::from(luma) << FRACTION_BITS;
    let blue = i32::from(blue) - 128;
    let red = i32::from(red) - 128;
    let sample = |value: i32| {
        ((value + HALF) >> FRACTION_BITS)
            .clamp(0, 255)
            .cast_unsigned()
    };

    // 1.402, 0.344136, 0.714136 and 1.772 with fractional bits.
    let samples = [
        sample(luma + 91_881 * red),
        sample(luma - 22_554 * blue - 46_802 * red),
        sample(luma + 116_130 * blue),
    ];
    samples.map(|sample| u8::try_from(sample).unwrap_or(u8::MAX))
}

/// Converts RGBA pixels to luma, blue difference, red difference and alpha.
pub(super) fn to_ycc(pixels: &mut Pixels) {
    for [red, green, blue, _] in pixels.samples.as_chunks_mut::<4>().0 {
        let colors = [*red, *green, *blue].map(i32::from);
        let weighted = |factors: [i32; 3], offset: i32| {
            let sum: i32 = factors
                .iter()
                .zip(colors)
                .map(|(factor, color)| factor * color)
                .sum();
            let value = (sum + HALF) >> FRACTION_BITS;
            u8::try_from((value + offset).clamp(0, 255)).unwrap_or(u8::MAX)
        };
        // The factors of ITU-T T.871 with fractional bits.
        *red = weighted([19_595, 38_470, 7_471], 0);
        *green = weighted([-11_059, -21_709, 32_768], 128);
        *blue = weighted([32_768, -27_439, -5_329], 128);
    }
}
