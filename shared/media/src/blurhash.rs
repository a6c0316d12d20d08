//! `BlurHash`: a short text that describes a blurred version of an image
//! (github.com/woltapp/blurhash).
//!
//! Invariant: the text equals that of the reference implementation for the same opaque pixels. Like
//! there, the largest value of the scale is a signed maximum, and sums have 64-bit precision.

use std::f64::consts::PI;

use crate::{color::rows_on_white, pixels::Pixels};

/// Components along the longer side.
const LONG_COMPONENTS: usize = 4;
/// Components along the shorter side.
const SHORT_COMPONENTS: usize = 3;
/// Digits of the text.
const DIGITS: &[u8; 83] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

/// Channels of a linear color.
type Linear = [f64; 3];

/// Returns the `BlurHash` of sRGB pixels in display orientation: 28 characters, with 4 × 3
/// components, or 3 × 4 if the height exceeds the width. Transparent pixels are composited on
/// white.
///
/// The time is that of one pass over the pixels, so a small version of an image is preferable.
/// Returns an empty text if there are no pixels.
pub fn blurhash(pixels: &Pixels) -> String {
    if pixels.width == 0 || pixels.height == 0 {
        return String::new();
    }
    let grid = if pixels.height > pixels.width {
        [SHORT_COMPONENTS, LONG_COMPONENTS]
    } else {
        [LONG_COMPONENTS, SHORT_COMPONENTS]
    };

    let components = components(pixels, grid);
    written(&components, grid)
}

/// Numbers of components across and down.
type Grid = [usize; 2];

/// Returns the components of the discrete cosine transform, row by row. Each row of pixels is
/// transformed first, so that a pixel takes one multiplication per component across.
fn components(pixels: &Pixels, [across, down]: Grid) -> Vec<Linear> {
    let linear = linear_samples();
    let cosines = cosines(pixels.width, across);
    let mut sums = vec![[0.0; 3]; across * down];

    for (y, row) in (0_u32..).zip(rows_on_white(pixels)) {
        let mut row_sums = vec![[0.0; 3]; across];
        for (color, factors) in row.zip(cosines.chunks_exact(across)) {
            let color = color.map(|sample| linear[usize::from(sample)]);
            for (sum, factor) in row_sums.iter_mut().zip(factors) {
                add(sum, color, *factor);
            }
        }
        for (component, row) in sums.chunks_exact_mut(across).zip(0_u32..) {
            let factor = cosine(row, y, pixels.height);
            for (sum, row_sum) in component.iter_mut().zip(&row_sums) {
                add(sum, *row_sum, factor);
            }
        }
    }

    let count = f64::from(pixels.width) * f64::from(pixels.height);
    for (index, sum) in sums.iter_mut().enumerate() {
        let weight = if index == 0 { 1.0 } else { 2.0 };
        *sum = sum.map(|value| value * weight / count);
    }
    sums
}

fn add(sum: &mut Linear, color: Linear, factor: f64) {
    for (sum, value) in sum.iter_mut().zip(color) {
        *sum += value * factor;
    }
}

/// Returns the factors of each column, one per component.
fn cosines(width: u32, components: usize) -> Vec<f64> {
    let columns = 0..width;
    columns
        .flat_map(|x| {
            (0_u32..)
                .take(components)
                .map(move |component| cosine(component, x, width))
        })
        .collect()
}

fn cosine(component: u32, at: u32, length: u32) -> f64 {
    (PI * f64::from(component) * f64::from(at) / f64::from(length)).cos()
}

/// Returns the linear value of each sRGB sample.
fn linear_samples() -> Vec<f64> {
    let linear = |sample: u8| {
        let value = f64::from(sample) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    (0..=u8::MAX).map(linear).collect()
}

/// Returns the text of components.
fn written(components: &[Linear], [across, down]: Grid) -> String {
    let mut text = String::new();
    let [mean, details @ ..] = components else {
        return text;
    };
    let size = (across - 1) + (down - 1) * 9;
    let values = details.iter().flatten();
    let largest = values.copied().fold(f64::NEG_INFINITY, f64::max);
    let scale = floored(largest * 166.0 - 0.5, 82);

    push(&mut text, size, 1);
    push(&mut text, scale, 1);
    push(&mut text, mean_code(*mean), 4);
    let maximum = (f64::from(u8::try_from(scale).unwrap_or(82)) + 1.0) / 166.0;
    for detail in details {
        push(&mut text, detail_code(*detail, maximum), 2);
    }
    text
}

/// Returns the mean color as an sRGB number with 24 bits.
fn mean_code(mean: Linear) -> usize {
    let sample = |value: f64| {
        let value = value.clamp(0.0, 1.0);
        let encoded = if value <= 0.003_130_8 {
            value * 12.92
        } else {
            1.055 * value.powf(1.0 / 2.4) - 0.055
        };
        floored(encoded * 255.0 + 0.5, 255)
    };
    let [red, green, blue] = mean.map(sample);
    (red << 16) + (green << 8) + blue
}

/// Returns the code of a component: 19 levels per channel.
fn detail_code(detail: Linear, maximum: f64) -> usize {
    let level = |value: f64| {
        let relative = value / maximum;
        let root = relative.abs().sqrt().copysign(relative);
        floored(root * 9.0 + 9.5, 18)
    };
    let [red, green, blue] = detail.map(level);
    (red * 19 + green) * 19 + blue
}

/// Rounds down to an integer from 0 to a maximum.
fn floored(value: f64, maximum: u8) -> usize {
    let fitting = (0..=maximum).rev().find(|whole| f64::from(*whole) <= value);
    fitting.unwrap_or(0).into()
}

/// Appends a number with a fixed count of digits.
fn push(text: &mut String, number: usize, digits: u32) {
    for position in (0..digits).rev() {
        let digit = number / DIGITS.len().pow(position) % DIGITS.len();
        text.push(char::from(DIGITS[digit]));
    }
}
