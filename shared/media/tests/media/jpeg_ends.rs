//! JPEGs without an end marker and with superfluous bytes: those with all pixels are decoded.

use domain::{Quality, Resize, Sides};
use media::{
    Channels, EncodeOptions, Format, MediaError, Pixels, RenderOptions, decode, encode, probe,
    render, require_complete,
};

use crate::files;

/// Returns a baseline and a progressive JPEG.
fn jpegs() -> [Vec<u8>; 2] {
    [false, true].map(|progressive| {
        let options = EncodeOptions {
            progressive,
            ..files::plain(Format::Jpeg)
        };
        encode(files::picture(64, 48, Channels::Rgb), &options).unwrap()
    })
}

fn options(resize: Option<Resize>) -> RenderOptions<'static> {
    RenderOptions {
        resize,
        format: Format::Png,
        quality: Quality::Auto,
        watermark: None,
    }
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
            let expected = decode(&file, &probe(&file).unwrap()).unwrap();
            assert!(decode(open, &probe(open).unwrap()).unwrap() == expected);
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
fn jpeg_with_superfluous_bytes_between_segments_is_rendered() {
    for file in jpegs() {
        let quantization = file.windows(2).position(|marker| marker == [0xFF, 0xDB]);
        let (start, rest) = file.split_at(quantization.unwrap());
        let unusual = [start, b"junk", rest].concat();

        let expected = render(&file, &options(None)).unwrap();
        assert!(render(&unusual, &options(None)).unwrap() == expected);
    }
}

#[test]
fn jpeg_with_padding_before_its_end_marker_is_rendered() {
    for file in jpegs() {
        let (data, end) = file.split_at(file.len() - 2);
        let padded = [data, &[0; 5], end].concat();

        let expected = render(&file, &options(None)).unwrap();
        assert!(render(&padded, &options(None)).unwrap() == expected);
    }
}

/// Returns a gray JPEG of two blocks, each in its own restart interval. `first` returns the data of the
/// first interval from that of a complete one.
fn jpeg_with_restart(first: impl FnOnce(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let block = Pixels {
        width: 8,
        height: 8,
        channels: Channels::Gray,
        samples: vec![128; 64],
        profile: None,
    };
    let mut file = encode(block, &files::plain(Format::Jpeg)).unwrap();
    let frame = marker_at(&file, 0xC0);
    // The width follows the marker, the length, the precision and the height.
    file[frame + 7..frame + 9].copy_from_slice(&16_u16.to_be_bytes());

    let (tables, scan) = file.split_at(marker_at(&file, 0xDA));
    let header_bytes = 2 + usize::from(u16::from_be_bytes([scan[2], scan[3]]));
    let (header, data) = scan.split_at(header_bytes);
    let (data, end) = data.split_at(data.len() - 2);
    // One block per interval.
    let interval: &[u8] = &[0xFF, 0xDD, 0, 4, 0, 1];
    let restart: &[u8] = &[0xFF, 0xD0];
    [tables, interval, header, &first(data), restart, data, end].concat()
}

fn marker_at(file: &[u8], marker: u8) -> usize {
    let found = file.windows(2).position(|bytes| bytes == [0xFF, marker]);
    found.unwrap()
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

    assert!(
        matches!(result, Err(MediaError::Malformed(_))),
        "{result:?}"
    );
}
