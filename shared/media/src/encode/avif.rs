//! AVIF encoding with libaom.
//!
//! Colors are stored as luma and chroma of BT.601 in their full range, with 8 bits per channel.

use aom::{Chroma, Frame, MAX_QUANTIZER, Options};
use avif_serialize::{Aviffy, constants::MatrixCoefficients};

use crate::{
    error::MediaError,
    pixels::{Channels, MAX_NEGOTIATED_AVIF_PIXELS, Pixels},
};

use super::EncodeOptions;

/// Maximum width and height, in pixels: libavif rejects files with longer sides by default
/// (`AVIF_DEFAULT_IMAGE_DIMENSION_LIMIT` in avif.h).
pub(super) const MAX_SIDE: u32 = 32_768;
/// Minimum quality without chroma subsampling (4:4:4); lower qualities use 4:2:0.
pub(crate) const FULL_CHROMA_QUALITY: u8 = 90;
/// Maximum quality. The quality of alpha is between that of the colors and this one: errors of
/// alpha show as haze on every background.
const MAX_QUALITY: u8 = 100;
/// Quantizer of the maximum quality. 0 is lossless, which the conversion to chroma is not.
const MIN_QUANTIZER: u8 = 2;
/// Quantizers by quality. They give about the score (SSIMULACRA2) of WebP at that quality, measured
/// with images of 320 to 1,600 pixels.
const QUANTIZERS: [(u8, u8); 4] = [
    (0, MAX_QUANTIZER),
    (40, 34),
    (75, 26),
    (MAX_QUALITY, MIN_QUANTIZER),
];
/// Encoder speed of images up to [`MAX_NEGOTIATED_AVIF_PIXELS`]. Each next speed takes half the
/// time, and files are 14 to 20 % larger at the same score.
const FINE_SPEED: u8 = 7;

pub(super) fn encode(pixels: &Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    let quality = encoding.quality;
    let chroma = match pixels.channels {
        Channels::Gray => Chroma::None,
        _ if quality >= FULL_CHROMA_QUALITY => Chroma::Full,
        _ => Chroma::Half,
    };
    let colors = encode_frame(&color_frame(pixels, chroma), pixels, quality)?;
    let alpha = match pixels.channels {
        Channels::Rgba => {
            let quality = quality.midpoint(MAX_QUALITY);
            Some(encode_frame(&alpha_frame(pixels), pixels, quality)?)
        }
        Channels::Gray | Channels::Rgb => None,
    };

    let is_subsampled = chroma != Chroma::Full;
    let mut container = Aviffy::new();
    container
        .set_matrix_coefficients(MatrixCoefficients::Bt601)
        .set_seq_profile((!is_subsampled).into())
        .set_chroma_subsampling((is_subsampled, is_subsampled))
        .set_monochrome(chroma == Chroma::None);
    if let Some(exif) = encoding.exif {
        container.set_exif(exif.to_vec());
    }
    Ok(container.to_vec(&colors, alpha.as_deref(), pixels.width, pixels.height, 8))
}

fn encode_frame(frame: &Frame, pixels: &Pixels, quality: u8) -> Result<Vec<u8>, MediaError> {
    let pixels = pixels.size().pixels();
    let speed = if pixels <= MAX_NEGOTIATED_AVIF_PIXELS {
        FINE_SPEED
    } else {
        aom::MAX_SPEED
    };
    let options = Options {
        speed,
        quantizer: quantizer(quality),
    };
    frame.encode(options).map_err(MediaError::encoding)
}

/// Returns the quantizer of a quality, by linear interpolation.
fn quantizer(quality: u8) -> u8 {
    let upper = QUANTIZERS.partition_point(|(end, _)| *end <= quality);
    let Some(&(end, finest)) = QUANTIZERS.get(upper) else {
        return MIN_QUANTIZER;
    };
    let (start, coarsest) = QUANTIZERS[upper - 1];
    let steps = u16::from(coarsest - finest) * u16::from(quality - start);
    let steps = steps / u16::from(end - start);
    coarsest.saturating_sub(u8::try_from(steps).unwrap_or(u8::MAX))
}

fn alpha_frame(pixels: &Pixels) -> Frame {
    let mut frame = Frame::new(pixels.width, pixels.height, Chroma::None);
    let [luma, ..] = frame.planes();
    let alphas = pixels.samples.iter().skip(3).step_by(4).copied();
    fill(luma, pixels.width, alphas);
    frame
}

fn color_frame(pixels: &Pixels, chroma: Chroma) -> Frame {
    match pixels.channels {
        Channels::Gray => {
            let mut frame = Frame::new(pixels.width, pixels.height, chroma);
            let [luma, ..] = frame.planes();
            fill(luma, pixels.width, pixels.samples.iter().copied());
            frame
        }
        Channels::Rgb => frame_of(pixels.samples.as_chunks::<3>().0, pixels, chroma),
        Channels::Rgba => frame_of(pixels.samples.as_chunks::<4>().0, pixels, chroma),
    }
}

/// Writes samples to the rows of a plane, which may be longer.
fn fill<'a>(
    rows: impl Iterator<Item = &'a mut [u8]>,
    width: u32,
    samples: impl Iterator<Item = u8>,
) {
    let targets = rows.flat_map(|row| row.iter_mut().take(width as usize));
    for (target, sample) in targets.zip(samples) {
        *target = sample;
    }
}

/// Returns the frame of colors, which may be followed by alpha.
fn frame_of<const CHANNELS: usize>(
    colors: &[[u8; CHANNELS]],
    pixels: &Pixels,
    chroma: Chroma,
) -> Frame {
    let mut frame = Frame::new(pixels.width, pixels.height, chroma);
    let [luma, blue, red] = frame.planes();
    let rows: Vec<_> = colors.chunks_exact(pixels.width as usize).collect();
    for (target, row) in luma.zip(&rows) {
        for (luma, pixel) in target.iter_mut().zip(*row) {
            *luma = weighted(&LUMA, sum([pixel]), 1);
        }
    }

    let step = if chroma == Chroma::Full { 1 } else { 2 };
    for ((blue, red), pair) in blue.zip(red).zip(rows.chunks(step)) {
        let upper = pair[0].chunks(step);
        let lower = pair[pair.len() - 1].chunks(step);
        let targets = blue.iter_mut().zip(red);
        for ((blue, red), (upper, lower)) in targets.zip(upper.zip(lower)) {
            let last = upper.len() - 1;
            let sum = sum([&upper[0], &upper[last], &lower[0], &lower[last]]);
            *blue = weighted(&BLUE, sum, 4);
            *red = weighted(&RED, sum, 4);
        }
    }
    frame
}

/// A sample is the sum of red, green and blue by these weights in 1/65536, and an offset (ITU-R
/// BT.601, in the full range of JFIF).
struct Weights {
    colors: [i32; 3],
    offset: i32,
}

const LUMA: Weights = Weights {
    colors: [19_595, 38_470, 7_471],
    offset: 0,
};
const BLUE: Weights = Weights {
    colors: [-11_059, -21_709, 32_768],
    offset: 128 << 16,
};
const RED: Weights = Weights {
    colors: [32_768, -27_439, -5_329],
    offset: 128 << 16,
};

/// Returns the sum of the colors of pixels.
fn sum<const COUNT: usize, const CHANNELS: usize>(pixels: [&[u8; CHANNELS]; COUNT]) -> [i32; 3] {
    let mut sum = [0; 3];
    for pixel in pixels {
        for (sum, sample) in sum.iter_mut().zip(pixel) {
            *sum += i32::from(*sample);
        }
    }
    sum
}

/// Returns the sample of the average of this number of pixels.
fn weighted(weights: &Weights, [red, green, blue]: [i32; 3], count: i32) -> u8 {
    let [of_red, of_green, of_blue] = weights.colors;
    let sum = of_red * red + of_green * green + of_blue * blue;
    let rounded = (sum / count + weights.offset + (1 << 15)) >> 16;
    u8::try_from(rounded).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantizer_decreases_with_quality() {
        let quantizers: Vec<u8> = (1..=MAX_QUALITY).map(quantizer).collect();
        assert!(quantizers.is_sorted_by(|coarse, fine| coarse >= fine));
        assert_eq!(
            [0, 39, 74, 99].map(|index| quantizers[index]),
            [63, 34, 26, MIN_QUANTIZER]
        );
    }

    #[test]
    fn chroma_is_the_average_of_its_pixels() {
        let pixels = |samples: &[[u8; 3]], width| Pixels {
            width,
            height: u32::try_from(samples.len()).unwrap() / width,
            channels: Channels::Rgb,
            samples: samples.concat(),
            profile: None,
        };
        let planes = |pixels: &Pixels, chroma| {
            let mut frame = color_frame(pixels, chroma);
            frame
                .planes()
                .map(|rows| rows.map(|row| row.to_vec()).collect::<Vec<_>>().concat())
        };
        let [black, white, red, blue] = [[0; 3], [255; 3], [255, 0, 0], [0, 0, 255]];

        let odd = pixels(&[red, red, blue], 3);
        assert_eq!(
            planes(&odd, Chroma::Full),
            [vec![76, 76, 29], vec![85, 85, 255], vec![255, 255, 107]]
        );
        assert_eq!(
            planes(&odd, Chroma::Half),
            [
                vec![76, 76, 29, 0, 0, 0, 0, 0],
                vec![85, 255],
                vec![255, 107]
            ]
        );

        let square = pixels(&[black, white, red, blue], 2);
        assert_eq!(planes(&square, Chroma::Half)[1..], [vec![149], vec![155]]);
    }
}
