//! HEIC: pixels of pictures, tiles, alpha and colors, and files that claim more than they contain.

use domain::{
    naming::ImageSize,
    renditions::{Resize, Sides},
};
use media::{
    blurhash::blurhash,
    decode::decode,
    error::MediaError,
    format::Format,
    image_metadata::{MetadataOptions, image_metadata},
    orient::orient,
    pixels::{Channels, Pixels},
    probe::probe,
    render::{Source, render},
    transform::transform,
};

use crate::{
    files::{self, assert_error},
    heads,
    heic_files::{Item, PHONE, SINGLE, fixture, heic},
    transform::{changed, rules},
};

/// Returns the color of a pixel of the fixtures: four quadrants with a slight gradient.
fn painted(x: u32, y: u32, width: u32, height: u32) -> [u32; 3] {
    let is_left = 2 * x < width;
    let is_top = 2 * y < height;
    [
        (if is_left { 200 } else { 40 }) + x * 20 / width,
        (if is_top { 60 } else { 180 }) + y * 20 / height,
        if is_left == is_top { 30 } else { 220 },
    ]
}

pub(crate) fn decoded(file: &[u8]) -> Pixels {
    let probed = probe(file).unwrap();
    orient(decode(file, &probed).unwrap(), probed.orientation)
}

/// Returns the mean difference of the colors from those that were painted, in hundredths.
fn difference(found: &Pixels) -> u64 {
    let count = found.channels.count();
    let mut sum = 0;
    for (index, pixel) in found.samples.chunks(count).enumerate() {
        let index = u32::try_from(index).unwrap();
        let colors = painted(
            index % found.width,
            index / found.width,
            found.width,
            found.height,
        );
        // Gray images have the green of the others.
        let colors = if count == 1 {
            &colors[1..2]
        } else {
            &colors[..]
        };

        for (expected, sample) in colors.iter().zip(pixel) {
            sum += u64::from(expected.abs_diff((*sample).into()));
        }
    }

    sum * 100 / (u64::from(found.width * found.height) * count.min(3) as u64)
}

/// Directory of the fixtures.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// Fixtures of both formats: name, width, height, channels, and the maximum differences of HEIC and
/// AVIF from the painted colors.
pub(crate) const PICTURES: [(&str, u32, u32, Channels, [u64; 2]); 10] = [
    ("half_chroma", 96, 64, Channels::Rgb, [250, 200]),
    ("wide_chroma", 96, 64, Channels::Rgb, [200, 130]),
    ("full_chroma_lossless", 96, 64, Channels::Rgb, [0, 0]),
    ("bt709_limited", 96, 64, Channels::Rgb, [300, 190]),
    ("ten_bits", 96, 64, Channels::Rgb, [200, 150]),
    ("twelve_bits", 96, 64, Channels::Rgb, [100, 10]),
    ("gray", 96, 64, Channels::Gray, [100, 10]),
    ("odd", 95, 61, Channels::Rgb, [300, 280]),
    ("alpha", 96, 64, Channels::Rgba, [250, 50]),
    ("premultiplied", 96, 64, Channels::Rgba, [400, 130]),
];

/// A fixture with its size, its channels and the maximum difference from the painted colors.
type Case = (&'static str, u32, u32, Channels, u64);

/// Decodes a fixture, and compares it with the painted image. Alpha is opaque on the left, and a
/// quarter on the right.
pub(crate) fn assert_pixels(extension: &str, (name, width, height, channels, limit): Case) {
    let file = std::fs::read(format!("{FIXTURES}/{extension}/{name}.{extension}")).unwrap();
    let found = decoded(&file);
    assert_eq!((found.width, found.height), (width, height), "{name}");
    assert_eq!(found.channels, channels, "{name}");
    let difference = difference(&found);
    assert!(difference <= limit, "{name}: {difference}");

    if channels == Channels::Rgba {
        let alphas: Vec<u8> = found.samples.iter().skip(3).step_by(4).copied().collect();
        assert!(alphas[2] >= 252 && alphas[94].abs_diff(64) <= 3, "{name}");
    }
}

/// Asserts that files are decoded with these widths and heights.
pub(crate) fn assert_sizes(cases: &[(Vec<u8>, u32, u32)]) {
    for (file, width, height) in cases {
        let found = decoded(file);
        assert_eq!((found.width, found.height), (*width, *height));
    }
}

/// Asserts that files are rejected with errors that begin with these texts, and that those with the
/// names `rejected_late` are decoded before.
pub(crate) fn assert_rejected(cases: &[(&str, Vec<u8>, &str)], rejected_late: &[&str]) {
    for &(name, ref file, expected) in cases {
        let error = render(file, &files::to(Format::Jpeg)).unwrap_err();
        assert!(
            format!("{error:?}").starts_with(expected),
            "{name}: {error:?}"
        );
        let is_decoded = rejected_late.contains(&name);
        assert_eq!(Source::read(file).is_ok(), is_decoded, "{name}");
    }
}

#[test]
fn pixels_are_those_of_the_encoded_image() {
    for (name, width, height, channels, [limit, _]) in PICTURES {
        assert_pixels("heic", (name, width, height, channels, limit));
    }
    for case in [
        ("twelve_gray", 96, 64, Channels::Gray, 100),
        // Its quadrants meet within a column and a row of halved chroma, which costs 9.0 even
        // without losses. Pillow, which repeats chroma where we interpolate it, has 9.5, and
        // differs from us beside these, by 4.7 on average.
        ("tiny", 17, 33, Channels::Rgb, 940),
        ("grid", 150, 100, Channels::Rgb, 250),
    ] {
        assert_pixels("heic", case);
    }
}

#[test]
fn turned_images_are_upright() {
    let upright = decoded(SINGLE);
    for (orientation, file) in [
        (3, &fixture!("turned3")[..]),
        (5, fixture!("turned5")),
        (6, fixture!("turned6")),
    ] {
        let probed = probe(file).unwrap();
        assert_eq!(probed.orientation.to_exif(), orientation);
        assert!(decoded(file) == orient(upright.clone(), probed.orientation));
    }
}

#[test]
fn colors_are_converted_to_srgb() {
    // Computed from the matrix of Display P3, of the quadrants of the photo and of the mean of the
    // other image.
    let found = decoded(PHONE);
    assert_eq!((found.width, found.height), (378, 504));
    let quadrants = [
        ([90, 100], [17, 61, 218]),
        ([280, 100], [251, 0, 0]),
        ([90, 400], [240, 240, 240]),
        ([280, 400], [0, 204, 12]),
    ];
    for ([x, y], expected) in quadrants {
        let at = (y * 378 + x) * 3;
        let color = &found.samples[at..at + 3];
        let distance = files::largest_difference(&expected, color);
        assert!(distance <= 12, "{x} {y}: {color:?}");
    }

    let found = decoded(fixture!("p3"));
    let mean = |channel: usize| {
        let samples = found.samples.iter().skip(channel).step_by(3);
        samples.map(|sample| u32::from(*sample)).sum::<u32>() / (96 * 64)
    };
    let means = [mean(0), mean(1), mean(2)];
    assert!((118..=121).contains(&means[0]), "{means:?}");
    assert!((124..=127).contains(&means[1]), "{means:?}");
    assert!((111..=114).contains(&means[2]), "{means:?}");
}

#[test]
fn photo_of_a_phone_is_an_image_like_others() {
    let read = image_metadata(PHONE, &MetadataOptions::default());
    assert_eq!((read.width, read.height), (Some(378), Some(504)));
    assert!(read.exif.contains_key("Model"), "{:?}", read.exif);
    assert!(!blurhash(&decoded(PHONE)).is_empty());

    for format in [Format::Jpeg, Format::Png, Format::WebP, Format::Avif] {
        let small = files::resized(files::to(format), Resize::Fit(Sides::Width(63)));
        let rendered = render(PHONE, &small).unwrap();
        let probed = probe(&rendered.bytes).unwrap();
        assert_eq!(probed.displayed(), ImageSize::new(63, 84), "{format:?}");
        assert!(!files::contains(&rendered.bytes, b"iPhone"), "{format:?}");
    }
}

#[test]
fn uploads_are_converted_but_not_stripped() {
    let kept = changed(PHONE, "jpeg 80");
    let probed = probe(&kept).unwrap();
    assert_eq!(
        (probed.format, probed.displayed()),
        (Format::Jpeg, ImageSize::new(378, 504))
    );
    let read = image_metadata(
        &kept,
        &MetadataOptions {
            keep_gps: true,
            ..MetadataOptions::default()
        },
    );
    assert!(read.exif.contains_key("GPSLatitude"), "{:?}", read.exif);
    assert!(!files::contains(&changed(PHONE, "strip webp"), b"iPhone"));

    // Neither a HEIC that stays one nor a sequence, which is not converted, can lose its metadata.
    let mut sequence = PHONE.to_vec();
    sequence[8..12].copy_from_slice(b"msf1");
    for (file, asked) in [
        (PHONE, "strip"),
        (PHONE, "strip 80"),
        (&sequence, "strip jpeg"),
    ] {
        let refused = transform(file, &rules(asked));
        assert_eq!(
            refused,
            Err(MediaError::UnsupportedFormat(Format::Heic)),
            "{asked}"
        );
    }
    assert!(render(&sequence, &files::to(Format::WebP)).is_ok());
}

/// Returns a grid of the picture, cropped, whose tile may claim other dimensions.
fn grid(rows: u16, columns: u16, width: u16, height: u16) -> Vec<u8> {
    let tile = Item::picture(96, 64);
    heic(&[tile, Item::grid(rows, columns, width, height)], 2)
}

fn with_alpha(width: u32, height: u32) -> Vec<u8> {
    let alpha = Item::picture(width, height).into_alpha();
    heic(&[Item::picture(96, 64), alpha], 1)
}

/// Returns the picture after a change of its data or properties.
fn altered(alter: impl FnOnce(&mut Item)) -> Vec<u8> {
    let mut picture = Item::picture(96, 64);
    alter(&mut picture);
    heic(&[picture], 1)
}

#[test]
fn files_of_valid_items_are_decoded() {
    assert_sizes(&[
        (altered(|_| ()), 96, 64),
        (grid(1, 1, 96, 64), 96, 64),
        (grid(3, 2, 180, 129), 180, 129),
        (with_alpha(96, 64), 96, 64),
    ]);
}

#[test]
fn bombs_and_contradictions_are_rejected() {
    let overlay = altered(|item| item.kind = *b"iovl");
    let itself = heic(&[Item::grid(1, 1, 96, 64)], 1);
    let slices = altered(|item| item.data = item.data.repeat(14_000));
    let start_code = altered(|item| item.data[200..203].copy_from_slice(&[0, 0, 1]));
    let cut_unit = altered(|item| item.data.truncate(100));
    let no_configuration = altered(|item| item.properties.clear());
    let mut cut_file = altered(|_| ());
    cut_file.truncate(cut_file.len() - 9);
    let sized = |width, height| heic(&[Item::picture(width, height)], 1);

    let cases = [
        ("overlay", overlay, "Unsupported"),
        ("grid of itself", itself, "Unsupported"),
        ("no configuration", no_configuration, "Unsupported"),
        ("a tile repeated", grid(256, 250, 100, 100), "Malformed"),
        ("too few tiles", grid(1, 1, 100, 64), "Malformed"),
        ("tiles outside", grid(2, 2, 96, 65), "Malformed"),
        ("slices repeated", slices, "TooManyPixels"),
        ("a hidden unit", start_code, "Malformed"),
        ("a cut unit", cut_unit, "Malformed"),
        ("a cut file", cut_file, "Truncated"),
        ("smaller picture", sized(6_000, 6_000), "Malformed"),
        ("larger picture", sized(32, 32), "Malformed"),
        ("one large picture", sized(8_000, 7_000), "TooManyPixels"),
        ("large image", sized(10_001, 10_000), "TooManyPixels"),
        ("long side", sized(70_000, 10), "SideTooLarge"),
        ("alpha of half size", with_alpha(48, 32), "Malformed"),
    ];
    // Only dimensions of the picture itself are seen after it is decoded.
    assert_rejected(&cases, &["smaller picture", "larger picture"]);
}

#[test]
fn head_without_pixels_is_rejected() {
    let file = heads::heif(*b"heic", 40, 30, 0, None);
    let error = render(&file, &files::to(Format::Jpeg));
    assert_error!(error, MediaError::UnsupportedFormat(_));
}
