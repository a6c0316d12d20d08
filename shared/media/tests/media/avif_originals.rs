//! AVIF originals: pixels of pictures, tiles and alpha, and files that claim more than they
//! contain.

use domain::{
    naming::ImageSize,
    renditions::{Resize, Sides},
};
use media::{
    encode::{EncodeOptions, encode},
    error::MediaError,
    format::Format,
    orient::orient,
    pixels::Channels,
    probe::probe,
    render::render,
    transform::transform,
};

use crate::{
    files,
    heic::{PICTURES, assert_pixels, assert_rejected, assert_sizes, decoded},
    heic_files::{Item, avif_fixture, heif},
    media_files::boxed,
    transform::{changed, rules},
};

/// Lets a program of the workspace decode, which this one cannot do.
pub(crate) fn use_decoder() {
    let program = std::env::current_exe().unwrap();
    let decoder = program.ancestors().nth(2).unwrap().join("av1-decoder");
    assert!(
        decoder.exists(),
        "cargo build --package av1 builds {}",
        decoder.display()
    );
    av1::use_program(decoder);
}

fn avif(items: &[Item], primary: u16) -> Vec<u8> {
    heif(items, primary, b"avif\0\0\0\0mif1avif")
}

#[test]
fn pixels_are_those_of_the_encoded_image() {
    use_decoder();
    for (name, width, height, channels, [_, limit]) in PICTURES {
        assert_pixels("avif", (name, width, height, channels, limit));
    }
    assert_pixels("avif", ("grid", 256, 192, Channels::Rgb, 70));
}

#[test]
fn originals_are_turned_rendered_and_converted() {
    use_decoder();
    let turned = avif_fixture!("turned");
    let probed = probe(turned).unwrap();
    assert_eq!(probed.displayed(), ImageSize::new(64, 96));
    let upright = files::to(Format::Png);
    let rendered = decoded(&render(turned, &upright).unwrap().bytes);
    assert!(rendered == decoded(turned));

    // What `upload_format: avif` writes.
    let pixels = orient(decoded(avif_fixture!("alpha")), probed.orientation);
    let own = encode(pixels, &EncodeOptions::new(Format::Avif, 90)).unwrap();
    for format in [Format::Jpeg, Format::Png, Format::WebP, Format::Avif] {
        let small = files::resized(files::to(format), Resize::Fit(Sides::Width(16)));
        let rendered = render(&own, &small).unwrap();
        let probed = probe(&rendered.bytes).unwrap();
        assert_eq!(probed.displayed(), ImageSize::new(16, 24), "{format:?}");
        assert_eq!(probed.has_alpha, format != Format::Jpeg, "{format:?}");
    }
    assert_eq!(probe(&changed(&own, "webp")).unwrap().format, Format::WebP);
    assert_eq!(
        probe(&changed(&own, "strip avif")).unwrap().format,
        Format::Avif
    );
    let refused = transform(&own, &rules("strip"));
    assert_eq!(refused, Err(MediaError::UnsupportedFormat(Format::Avif)));
}

/// Returns width, height and the only gray of an image.
fn gray(file: &[u8]) -> (u32, u32, u8) {
    let found = decoded(file);
    let level = found.samples[0];
    assert!(found.samples.iter().all(|sample| *sample == level));
    (found.width, found.height, level)
}

/// The expected grays are those of libavif.
#[test]
fn the_last_or_the_selected_layer_is_decoded() {
    use_decoder();
    let layers = avif_fixture!("layers");
    let with_property = |width, height, kind, content: &[u8]| {
        let mut picture = Item::av1_of(layers, width, height);
        picture.properties.push(boxed(kind, content));
        avif(&[picture], 1)
    };
    let selected =
        |layer: u16, width, height| with_property(width, height, *b"lsel", &layer.to_be_bytes());
    for (file, expected) in [
        (layers.to_vec(), (96, 64, 191)),
        (selected(0xFFFF, 96, 64), (96, 64, 191)),
        (selected(2, 96, 64), (96, 64, 191)),
        (selected(1, 48, 32), (48, 32, 121)),
        (selected(0, 48, 32), (48, 32, 51)),
        (with_property(96, 64, *b"a1op", &[0]), (96, 64, 191)),
    ] {
        assert_eq!(gray(&file), expected);
    }

    let other_point = with_property(48, 32, *b"a1op", &[1]);
    let error = render(&other_point, &files::to(Format::Png)).unwrap_err();
    assert_eq!(error, MediaError::UnsupportedFormat(Format::Avif));
}

#[test]
fn hidden_frames_are_decoded_and_not_shown() {
    use_decoder();
    assert_eq!(gray(avif_fixture!("hidden")), (96, 64, 86));
}

fn sized(width: u32, height: u32) -> Vec<u8> {
    avif(&[Item::av1(width, height)], 1)
}

fn grid(rows: u16, columns: u16, width: u16, height: u16) -> Vec<u8> {
    let grid = Item::grid(rows, columns, width, height);
    avif(&[Item::av1(96, 64), grid], 2)
}

fn with_alpha(width: u32, height: u32) -> Vec<u8> {
    let alpha = Item::av1(width, height).into_alpha();
    avif(&[Item::av1(96, 64), alpha], 1)
}

#[test]
fn pictures_have_the_size_of_their_item() {
    use_decoder();
    let unnamed = |items: &[Item], primary| heif(items, primary, b"mif1\0\0\0\0miaf");
    let unnamed_grid = [Item::av1(96, 64), Item::grid(1, 1, 90, 60)];

    assert_sizes(&[
        (sized(96, 64), 96, 64),
        (unnamed(&[Item::av1(96, 64)], 1), 96, 64),
        (unnamed(&unnamed_grid, 2), 90, 60),
        (grid(3, 2, 180, 129), 180, 129),
        (with_alpha(96, 64), 96, 64),
    ]);
}

#[test]
fn bombs_and_contradictions_are_rejected() {
    use_decoder();
    let altered = |alter: &dyn Fn(&mut Item)| {
        let mut picture = Item::av1(96, 64);
        alter(&mut picture);
        avif(&[picture], 1)
    };

    let cases = [
        ("HEVC", altered(&|item| item.kind = *b"hvc1"), "Unsupported"),
        (
            "frames",
            altered(&|item| item.data = item.data.repeat(18_000)),
            "TooManyPixels",
        ),
        (
            "a cut unit",
            altered(&|item| item.data.truncate(60)),
            "Malformed",
        ),
        ("no units", altered(&|item| item.data.clear()), "Malformed"),
        (
            "damage",
            altered(&|item| item.data[40..].fill(0xA5)),
            "Malformed",
        ),
        ("a tile repeated", grid(256, 250, 100, 100), "Malformed"),
        ("smaller picture", sized(6_000, 6_000), "Malformed"),
        ("larger picture", sized(32, 32), "Malformed"),
        ("one large picture", sized(8_000, 7_000), "TooManyPixels"),
        ("alpha of half size", with_alpha(48, 32), "Malformed"),
    ];
    let rejected_late = ["smaller picture", "larger picture", "damage", "no units"];
    assert_rejected(&cases, &rejected_late);
}
