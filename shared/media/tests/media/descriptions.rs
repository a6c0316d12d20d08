//! `BlurHash`, dominant colors and names of colors.

use media::{
    blurhash::blurhash,
    dominant_color::{color_name, dominant_color},
    pixels::{Channels, Pixels},
};

use crate::files::{painted, picture, solid};

fn of_colors(width: u32, height: u32, color: impl Fn(u32, u32) -> [u32; 3]) -> Pixels {
    painted(width, height, |x, y| {
        color(x, y).map(|sample| sample.to_le_bytes()[0])
    })
}

/// The texts are those of `encode` of the reference implementation in TypeScript, version 2.0.5
/// (github.com/woltapp/blurhash), for the same pixels, composited on white, with 4 × 3 components
/// and 3 × 4 for portrait images.
#[test]
fn blurhash_equals_the_reference_implementation() {
    let pattern = |x: u32, y: u32| [x * 37 + y * 91, x * x + y * 13, (x ^ y) * 5];
    let wide = |x: u32, _| [x, x >> 8, 7];

    for (pixels, expected) in [
        (
            picture(24, 16, Channels::Rgb),
            "LCG+N{3H|gTY*KIxo3a3hAf+fQf*",
        ),
        (
            picture(24, 16, Channels::Rgba),
            "LvOWEQy;=#x]v6kqoyj[fhe=fkfQ",
        ),
        (
            picture(16, 24, Channels::Rgb),
            "TCGlR_3a]7y@M.o3hZf+fQ#VNuo2",
        ),
        (
            picture(300, 200, Channels::Rgba),
            "LkOf+FqC=#kWhiggkSf+g1epfkf7",
        ),
        (of_colors(61, 47, pattern), "L8HV6cx5aDxMxbW4aXr~RYaCM[j4"),
        (solid([10, 200, 30], 1, 1), "L~1JlBl#l#l#l#l#l#l#l#l#l#l#"),
        (of_colors(65_000, 1, wide), "L~HV4?degJeq~idegJeq~idegJeq"),
    ] {
        assert_eq!(
            blurhash(&pixels),
            expected,
            "{}×{}",
            pixels.width,
            pixels.height
        );
    }
}

#[test]
fn blurhash_of_gray_pixels_is_that_of_equal_channels() {
    let gray = picture(24, 16, Channels::Gray);
    let colors = Pixels {
        channels: Channels::Rgb,
        samples: gray.samples.iter().flat_map(|gray| [*gray; 3]).collect(),
        ..gray.clone()
    };

    assert_eq!(blurhash(&gray), blurhash(&colors));
}

#[test]
fn blurhash_without_pixels_is_empty() {
    assert_eq!(blurhash(&solid([0, 0, 0], 0, 0)), "");
}

#[test]
fn transparent_pixels_have_the_blurhash_of_white() {
    assert_eq!(
        blurhash(&solid([200, 0, 0, 0], 9, 9)),
        blurhash(&solid([255, 255, 255], 9, 9))
    );
}

#[test]
fn dominant_color_is_the_mean_of_the_fullest_bin() {
    let mut pixels = solid([0, 0, 255], 10, 10);
    // 60 pixels in one bin, of two colors.
    pixels.samples[..90].copy_from_slice(&[16, 200, 96].repeat(30));
    pixels.samples[90..180].copy_from_slice(&[18, 202, 100].repeat(30));

    assert_eq!(dominant_color(&pixels), [17, 201, 98]);
}

#[test]
fn dominant_color_ignores_transparent_pixels() {
    let mut pixels = solid([255, 0, 0, 127], 10, 10);
    pixels.samples[..4].copy_from_slice(&[1, 2, 3, 128]);

    assert_eq!(dominant_color(&pixels), [1, 2, 3]);
    assert_eq!(dominant_color(&solid([9, 9, 9, 0], 3, 3)), [255, 255, 255]);
    assert_eq!(dominant_color(&solid([77], 1, 65_000)), [77, 77, 77]);
}

#[test]
fn colors_have_basic_names() {
    for (color, name) in [
        ([0, 0, 0], "black"),
        ([128, 128, 128], "gray"),
        ([255, 255, 255], "white"),
        ([255, 0, 0], "red"),
        ([128, 0, 0], "red"),
        ([255, 165, 0], "orange"),
        ([139, 69, 19], "brown"),
        ([255, 255, 0], "yellow"),
        ([255, 215, 0], "yellow"),
        ([0, 128, 0], "green"),
        ([144, 238, 144], "green"),
        ([0, 255, 255], "cyan"),
        ([0, 0, 128], "blue"),
        ([135, 206, 235], "cyan"),
        ([65, 105, 225], "blue"),
        ([128, 0, 128], "purple"),
        ([75, 0, 130], "purple"),
        ([255, 192, 203], "pink"),
        ([255, 105, 180], "pink"),
    ] {
        assert_eq!(color_name(color), name, "{color:?}");
    }
}
