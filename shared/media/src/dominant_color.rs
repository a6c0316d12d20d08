//! The most frequent color of an image, and names of colors.

use crate::{color::rgba, pixels::Pixels};

/// Number of high bits of a sample that select its bin.
const BIN_BITS: u32 = 4;
/// Number of bins: each combination of the high bits of three samples.
const BINS: usize = 1 << (3 * BIN_BITS);
/// Alpha from which a pixel counts as opaque.
const OPAQUE_ALPHA: u8 = 128;

/// Colors with equal high bits.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: u64,
    sums: [u64; 3],
}

/// Returns the most frequent color of sRGB pixels, as red, green and blue.
///
/// Counts the pixels whose alpha is at least 128 in 4,096 bins, by the four high bits of each
/// channel, and returns the mean of the fullest bin. Of equally full bins, the darkest by red, then
/// green, then blue wins. Returns white if no pixel is opaque.
pub fn dominant_color(pixels: &Pixels) -> [u8; 3] {
    let mut bins = vec![Bin::default(); BINS];
    for pixel in pixels.samples.chunks_exact(pixels.channels.count()) {
        let [red, green, blue, alpha] = rgba(pixel);
        if alpha >= OPAQUE_ALPHA {
            let color = [red, green, blue];
            let bin = &mut bins[bin_index(color)];
            bin.count += 1;
            for (sum, sample) in bin.sums.iter_mut().zip(color) {
                *sum += u64::from(sample);
            }
        }
    }

    // `max_by_key` returns the last of several maxima.
    let fullest = bins.into_iter().rev().max_by_key(|bin| bin.count);
    match fullest {
        Some(bin) if bin.count > 0 => bin.sums.map(|sum| {
            let mean = (sum + bin.count / 2) / bin.count;
            u8::try_from(mean).unwrap_or(u8::MAX)
        }),
        _ => [u8::MAX; 3],
    }
}

fn bin_index(color: [u8; 3]) -> usize {
    color.into_iter().fold(0, |index, sample| {
        index << BIN_BITS | usize::from(sample) >> (u8::BITS - BIN_BITS)
    })
}

/// Largest sample of colors that are called black.
const MAX_BLACK: u8 = 45;
/// Smallest sample of colors without a hue that are called white.
const MIN_WHITE: u8 = 220;
/// Difference of the largest and the smallest sample, in percent of the largest, below which a
/// color has no hue.
const MIN_SATURATION: u16 = 15;
/// Largest sample below which orange is called brown.
const MIN_ORANGE: u8 = 190;
/// Smallest sample from which red is called pink.
const MIN_PINK_SAMPLE: u8 = 140;
/// Largest sample below which pink is called purple.
const MIN_PINK: u8 = 180;

/// Returns the basic name of an sRGB color: black, gray, white, red, orange, brown, yellow, green,
/// cyan, blue, purple or pink.
pub fn color_name(color: [u8; 3]) -> &'static str {
    let [red, green, blue] = color;
    let largest = red.max(green).max(blue);
    let smallest = red.min(green).min(blue);
    let range = u16::from(largest - smallest);

    if largest <= MAX_BLACK {
        "black"
    } else if range * 100 < u16::from(largest) * MIN_SATURATION {
        if smallest >= MIN_WHITE {
            "white"
        } else {
            "gray"
        }
    } else {
        match hue(color) {
            0..12 | 345.. if smallest >= MIN_PINK_SAMPLE => "pink",
            0..12 | 345.. => "red",
            12..48 if largest < MIN_ORANGE => "brown",
            12..45 => "orange",
            45..70 => "yellow",
            70..165 => "green",
            165..200 => "cyan",
            200..260 => "blue",
            300..345 if largest >= MIN_PINK => "pink",
            260..345 => "purple",
        }
    }
}

/// Returns the hue of a color that is not gray, in degrees from 0 to 359.
fn hue([red, green, blue]: [u8; 3]) -> u32 {
    let [red, green, blue] = [red, green, blue].map(i32::from);
    let largest = red.max(green).max(blue);
    let range = (largest - red.min(green).min(blue)).max(1);
    let degrees = if largest == red {
        60 * (green - blue) / range
    } else if largest == green {
        120 + 60 * (blue - red) / range
    } else {
        240 + 60 * (red - green) / range
    };
    degrees.rem_euclid(360).cast_unsigned()
}
