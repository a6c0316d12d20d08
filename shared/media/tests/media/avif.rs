//! AVIF files: bit depth, and quality of alpha.

use domain::naming::ImageSize;
use media::{
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
};

/// Flag of more than 8 bits in the third byte of the codec configuration (AV1-ISOBMFF, section
/// 2.3.3).
const HIGH_BIT_DEPTH: u8 = 0x40;

/// Returns an image of one color whose alpha is noise.
fn transparent_noise() -> Pixels {
    let mut state = 1_u32;
    let samples = (0..64 * 64).flat_map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        [30, 60, 200, state.to_be_bytes()[0]]
    });
    Pixels::new(ImageSize::new(64, 64), Channels::Rgba, samples.collect())
}

fn encoded(quality: u8) -> Vec<u8> {
    let options = EncodeOptions::new(Format::Avif, quality);
    encode(transparent_noise(), &options).unwrap()
}

#[test]
fn color_and_alpha_have_8_bits() {
    let file = encoded(80);
    let boxes = file.windows(7).filter(|window| window.starts_with(b"av1C"));
    let depths: Vec<u8> = boxes.map(|window| window[6] & HIGH_BIT_DEPTH).collect();

    assert!(!depths.is_empty());
    assert!(depths.iter().all(|depth| *depth == 0), "{depths:?}");
}

#[test]
fn quality_applies_to_alpha() {
    let smallest = encoded(1).len();
    let largest = encoded(100).len();

    assert!(largest > smallest * 5 / 4, "{smallest} and {largest} bytes");
}
