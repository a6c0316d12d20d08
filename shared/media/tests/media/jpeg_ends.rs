//! JPEGs without an end marker and with superfluous bytes: those with all pixels are decoded.

use domain::{Quality, Resize, Sides};
use media::{
    Channels, EncodeOptions, Format, MediaError, RenderOptions, decode, encode, probe, render,
    require_complete,
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
