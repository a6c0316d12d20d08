//! Generated images with the statistics of photos: fractal noise, gradients, edges and grain.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "colors and positions are small, and approximate"
)]

use std::{fs, path::Path};

use domain::naming::ImageSize;
use media::{
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
};

use crate::heic_files::{Item, heic};

/// Number of octaves of the fractal noise.
const OCTAVES: u32 = 9;

/// Writes all images of the benchmark.
pub(crate) fn generate(directory: &str) {
    let directory = Path::new(directory);
    let write = |name: &str, pixels: Pixels, encoding: &EncodeOptions| {
        fs::write(directory.join(name), encode(pixels, encoding).unwrap()).unwrap();
    };
    let jpeg = EncodeOptions::new(Format::Jpeg, 89);
    let progressive = EncodeOptions {
        progressive: true,
        ..jpeg
    };
    let png = EncodeOptions {
        format: Format::Png,
        ..jpeg
    };
    let avif = EncodeOptions::new(Format::Avif, 80);

    let photo = scene(4_000, 3_000, Channels::Rgb);
    write("12mp.jpg", photo.clone(), &jpeg);
    write("12mp-progressive.jpg", photo.clone(), &progressive);
    write("12mp.avif", photo, &avif);
    fs::write(directory.join("12mp.heic"), tiles()).unwrap();
    write("48mp.jpg", scene(8_000, 6_000, Channels::Rgb), &jpeg);
    write("alpha.png", scene(2_048, 1_536, Channels::Rgba), &png);
    write("watermark.png", scene(400, 160, Channels::Rgba), &png);
}

/// Returns a HEIC of 4,000 × 3,000 pixels that repeats one tile, since nothing here encodes HEVC.
fn tiles() -> Vec<u8> {
    let grid = Item::grid(47, 42, 4_000, 3_000);
    heic(&[Item::picture(96, 64), grid], 2)
}

/// Returns hills below a sky with a sun, and houses with hard edges.
fn scene(width: u32, height: u32, channels: Channels) -> Pixels {
    let mut samples = Vec::with_capacity((width * height) as usize * channels.count());
    for y in 0..height {
        for x in 0..width {
            let color = color(x as f32 / width as f32, y as f32 / width as f32, [x, y]);
            samples.extend(color.map(|value| value.clamp(0.0, 255.0) as u8));
            if channels == Channels::Rgba {
                samples.push(alpha(x as f32 / width as f32, y as f32 / height as f32));
            }
        }
    }
    Pixels::new(ImageSize::new(width, height), channels, samples)
}

fn color(x: f32, y: f32, [column, row]: [u32; 2]) -> [f32; 3] {
    let detail = fractal(x * 6.0, y * 6.0, 1);
    let tint = fractal(x * 3.0, y * 3.0, 2);
    let horizon = 0.32 + 0.12 * fractal(x * 4.0, 0.5, 3);
    let grain = (random(column, row, 4) - 0.5) * 6.0;
    let is_house = y > horizon && (x * 23.0).fract() < 0.35 && (y * 17.0).fract() < 0.4;

    let base = if is_house {
        let window = ((x * 230.0).fract() < 0.5) ^ ((y * 170.0).fract() < 0.5);
        let light = if window { 40.0 } else { 190.0 };
        [light, light * 0.9, light * 0.7 + 60.0 * tint]
    } else if y > horizon {
        let light = 60.0 + 150.0 * detail;
        [light * (0.5 + 0.4 * tint), light * 0.85, light * 0.45]
    } else {
        let distance = ((x - 0.7).powi(2) + (y - 0.1).powi(2)).sqrt();
        let sun = if distance < 0.04 {
            90.0
        } else {
            12.0 / (distance + 0.1)
        };
        let cloud = (detail - 0.45).max(0.0) * 220.0;
        [
            110.0 + cloud + sun,
            150.0 + cloud + sun * 0.8,
            215.0 + cloud * 0.4 - y * 90.0,
        ]
    };
    base.map(|value| value + grain)
}

/// Returns the opacity of a soft-edged disc with transparent stripes.
fn alpha(x: f32, y: f32) -> u8 {
    let distance = ((x - 0.5).powi(2) + (y - 0.5).powi(2)).sqrt();
    let disc = ((0.48 - distance) * 2_000.0).clamp(0.0, 255.0);
    let stripe = if (x * 40.0).fract() < 0.15 { 0.4 } else { 1.0 };
    (disc * stripe) as u8
}

fn fractal(x: f32, y: f32, seed: u32) -> f32 {
    let mut sum = 0.0;
    let mut weight = 0.5;
    let mut scale = 1.0;
    for octave in 0..OCTAVES {
        sum += weight * noise(x * scale, y * scale, seed * 31 + octave);
        weight *= 0.55;
        scale *= 2.0;
    }
    sum
}

/// Returns smooth noise from 0 to 1.
fn noise(x: f32, y: f32, seed: u32) -> f32 {
    let smooth = |value: f32| value * value * (3.0 - 2.0 * value);
    let column = x.floor() as u32;
    let row = y.floor() as u32;
    let across = smooth(x.fract());
    let down = smooth(y.fract());
    let mix = |a: f32, b: f32, at: f32| a + (b - a) * at;
    let line = |row: u32| {
        mix(
            random(column, row, seed),
            random(column + 1, row, seed),
            across,
        )
    };
    mix(line(row), line(row + 1), down)
}

/// Returns a hash of a position, from 0 to 1.
fn random(x: u32, y: u32, seed: u32) -> f32 {
    let mut hash = x
        .wrapping_mul(0x9E37_79B1)
        .wrapping_add(y.wrapping_mul(0x85EB_CA77))
        .wrapping_add(seed.wrapping_mul(0xC2B2_AE3D));
    hash = (hash ^ (hash >> 15)).wrapping_mul(0x2C1B_3C6D);
    hash = (hash ^ (hash >> 12)).wrapping_mul(0x297A_2D39);
    hash ^= hash >> 15;
    (hash >> 8) as f32 / (1 << 24) as f32
}
