//! JPEGs without an end marker and with superfluous bytes: those with all pixels are decoded.

use domain::renditions::{Resize, Sides};
use media::{
    completeness::require_complete,
    encode::encode,
    error::MediaError,
    format::Format,
    pixels::Channels,
    render::{RenderOptions, render},
};

use crate::files::{self, assert_error, marker_at, pixels};

/// Returns a baseline and a progressive JPEG.
fn jpegs() -> [Vec<u8>; 2] {
    [files::plain(Format::Jpeg), files::progressive()]
        .map(|options| encode(files::picture(64, 48, Channels::Rgb), &options).unwrap())
}

fn options(resize: Option<Resize>) -> RenderOptions<'static> {
    files::resized(files::to(Format::Png), resize)
}

#[test]
fn jpeg_without_end_marker_is_rendered_as_with_it() {
    for file in jpegs() {
        // The marker has two bytes.
        for missing in [1, 2] {
            let open = &file[..file.len() - missing];
            assert_eq!(require_complete(open), Err(MediaError::Truncated));

            for resize in [None, Some(Resize::Fit(Sides::Width(7)))] {
                let expected = render(&file, &options(resize)).unwrap();
                let found = render(open, &options(resize)).unwrap();
                assert!(found.bytes == expected.bytes, "{missing} {resize:?}");
            }
            assert!(pixels(open) == pixels(&file));
        }
    }
}

#[test]
fn jpeg_without_all_pixels_is_truncated_at_every_length() {
    for file in jpegs() {
        for length in 16..file.len() - 2 {
            for resize in [None, Some(Resize::Fit(Sides::Width(7)))] {
                let result = render(&file[..length], &options(resize));
                assert_eq!(result.err(), Some(MediaError::Truncated), "{length}");
            }
        }
    }
}

#[test]
fn jpeg_with_superfluous_bytes_is_rendered() {
    for file in jpegs() {
        let (start, rest) = file.split_at(marker_at(&file, 0xDB));
        let (data, end) = file.split_at(file.len() - 2);

        let expected = render(&file, &options(None)).unwrap();
        // Between segments, and as padding before the end marker.
        for unusual in [[start, b"junk", rest], [data, &[0; 5], end]] {
            assert!(render(&unusual.concat(), &options(None)).unwrap() == expected);
        }
    }
}

/// Returns a gray JPEG of two blocks, each in its own restart interval. `first` returns the data of
/// the first interval from that of a complete one.
fn jpeg_with_restart(first: impl FnOnce(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let block = files::solid([128], 8, 8);
    let block = encode(block, &files::plain(Format::Jpeg)).unwrap();
    let file = files::with_sides(&block, 16, 8);

    let (tables, scan) = file.split_at(marker_at(&file, 0xDA));
    let header_bytes = 2 + usize::from(u16::from_be_bytes([scan[2], scan[3]]));
    let (header, data) = scan.split_at(header_bytes);
    let (data, end) = data.split_at(data.len() - 2);
    // One block per interval.
    let interval: &[u8] = &[0xFF, 0xDD, 0, 4, 0, 1];
    let restart: &[u8] = &[0xFF, 0xD0];
    [tables, interval, header, &first(data), restart, data, end].concat()
}

#[test]
fn jpeg_whose_restart_interval_ends_early_is_rendered() {
    let complete = jpeg_with_restart(<[u8]>::to_vec);
    let rendered = render(&complete, &options(None)).unwrap();
    assert_eq!((rendered.width, rendered.height), (16, 8));

    for rest in [&[0x12, 0x34][..], &[0x56; 40]] {
        let damaged = jpeg_with_restart(|data| [data, rest].concat());
        assert!(render(&damaged, &options(None)).unwrap() == rendered);
    }
}

#[test]
fn jpeg_whose_restart_interval_lacks_data_is_damaged() {
    let damaged = jpeg_with_restart(|_| Vec::new());

    let result = render(&damaged, &options(None));

    assert_error!(result, MediaError::Malformed(_));
}
