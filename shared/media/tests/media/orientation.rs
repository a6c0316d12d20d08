//! Orientation of transformed images, compared pixel by pixel.

use media::{
    format::Format,
    pixels::{Channels, Pixels},
    probe::probe,
};

use crate::{
    files::{self, pixels},
    transform::changed,
};

/// Returns the pixels as displayed by the definition of EXIF orientations.
fn seen(stored: &Pixels, orientation: u8) -> Pixels {
    let width = stored.width;
    let height = stored.height;
    let place = |x: u32, y: u32| match orientation {
        1 => (x, y),
        2 => (width - 1 - x, y),
        3 => (width - 1 - x, height - 1 - y),
        4 => (x, height - 1 - y),
        5 => (y, x),
        6 => (y, height - 1 - x),
        7 => (width - 1 - y, height - 1 - x),
        8 => (width - 1 - y, x),
        _ => unreachable!(),
    };
    let (across, down) = if orientation >= 5 {
        (height, width)
    } else {
        (width, height)
    };
    let size = stored.channels.count();
    let mut samples = Vec::new();

    for (x, y) in (0..down).flat_map(|y| (0..across).map(move |x| (x, y))) {
        let (from_x, from_y) = place(x, y);
        let start = (from_y * width + from_x) as usize * size;
        samples.extend_from_slice(&stored.samples[start..start + size]);
    }

    Pixels {
        width: across,
        height: down,
        samples,
        ..stored.clone()
    }
}

/// Asserts that an image of 24 × 16 pixels was turned.
fn assert_upright(changed: &[u8]) {
    let probed = probe(changed).unwrap();
    assert_eq!((probed.width, probed.height), (16, 24));
    assert_eq!(probed.orientation.to_exif(), 1);
}

#[test]
fn all_orientations_are_applied_in_every_format() {
    for (format, channels, asked) in [
        (Format::Png, Channels::Gray, "strip"),
        (Format::Png, Channels::Rgb, "strip"),
        (Format::Png, Channels::Rgba, "strip"),
        (Format::Jpeg, Channels::Rgb, "strip png"),
        (Format::Jpeg, Channels::Gray, "strip png"),
        (Format::WebP, Channels::Rgba, "strip png"),
    ] {
        for orientation in 1..=8 {
            let file = files::with_exif(format, channels, &files::exif(orientation));
            let expected = seen(&pixels(&file), orientation);
            let changed = changed(&file, asked);

            assert_eq!(probe(&changed).unwrap().orientation.to_exif(), 1);
            assert!(
                pixels(&changed) == expected,
                "{format:?} {channels:?} {orientation}"
            );
        }
    }
}

#[test]
fn orient_handles_images_larger_than_a_tile() {
    let stored = files::picture(131, 67, Channels::Rgb);
    for orientation in 1..=8 {
        let named = media::orient::Orientation::from_exif(orientation.into()).unwrap();
        assert!(
            media::orient::orient(stored.clone(), named) == seen(&stored, orientation),
            "{orientation}"
        );
    }
}

#[test]
fn kept_exif_has_normal_orientation_and_no_thumbnail() {
    let file = files::with_exif(Format::Jpeg, Channels::Rgb, &files::exif(6));
    for format in ["jpeg", "png", "webp", "avif"] {
        let changed = changed(&file, &format!("{format} 70"));
        assert!(files::contains(&changed, files::SECRET), "{format}");
        let settled = &files::exif(1)[..34];
        assert!(
            files::contains(&changed, &[settled, &[0; 4]].concat()),
            "{format}"
        );
        assert_upright(&changed);
    }
}

#[test]
fn orientation_of_type_long_is_applied() {
    let mut long = files::exif(6);

    // The type of the first entry.
    long[12] = 4;

    let big_endian = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x04\0\0\0\x01\0\0\0\x06\0\0\0\0";

    for exif in [&long[..], big_endian] {
        let file = files::with_exif(Format::Jpeg, Channels::Rgb, exif);
        assert_eq!(probe(&file).unwrap().orientation.to_exif(), 6);
        assert_upright(&changed(&file, "70"));
    }
}
