//! Probing of headers.

use domain::naming::ImageSize;
use media::{
    encode::encode,
    error::ProbeError,
    format::Format,
    orient::Orientation,
    pixels::Channels,
    probe::{Frames, ImageInfo, probe},
};

use crate::{
    files::{self, assert_error},
    heads,
};

/// Describes what a header contains.
fn described(file: &[u8]) -> String {
    let info = probe(file).unwrap();
    let mut words = vec![format!("{:?} {}×{}", info.format, info.width, info.height)];
    if info.frames != Frames::Still {
        words.push(format!("{:?}", info.frames));
    }

    let flags = [
        (info.has_alpha, "alpha"),
        (info.progressive, "progressive"),
        (info.lossless, "lossless"),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
    words.extend(flags.map(|(_, name)| name.to_owned()));

    if info.orientation != Orientation::Normal {
        words.push(format!("turned {}", info.orientation.to_exif()));
    }

    words.join(" ")
}

#[test]
fn probe_reads_headers_of_all_formats() {
    let exif = files::exif(6);
    let encoded = |options| encode(files::picture(7, 5, Channels::Rgb), &options).unwrap();
    let opaque = |format| files::file(format, 7, 5, Channels::Rgb);
    let transparent = |format| files::file(format, 7, 5, Channels::Rgba);
    let turned = |format| files::with_exif(format, Channels::Rgb, &exif);
    let gray = files::file(Format::Jpeg, 7, 5, Channels::Gray);
    let heic = heads::heif(*b"heic", 4_032, 3_024, 3, None);

    for (file, expected) in [
        (gray, "Jpeg 7×5"),
        (encoded(files::progressive()), "Jpeg 7×5 progressive"),
        (turned(Format::Jpeg), "Jpeg 24×16 turned 6"),
        (opaque(Format::Png), "Png 7×5 lossless"),
        (transparent(Format::Png), "Png 7×5 alpha lossless"),
        (turned(Format::Png), "Png 24×16 lossless turned 6"),
        (files::animated_png(2), "Png 6×4 Animated lossless"),
        (files::gif(1), "Gif 6×4 alpha lossless"),
        (files::gif(2), "Gif 6×4 Animated alpha lossless"),
        (opaque(Format::WebP), "WebP 7×5"),
        (transparent(Format::WebP), "WebP 7×5 alpha"),
        (encoded(files::lossless()), "WebP 7×5 lossless"),
        (turned(Format::WebP), "WebP 24×16 turned 6"),
        (files::animated_webp(&exif), "WebP 24×16 Animated turned 6"),
        (opaque(Format::Avif), "Avif 7×5"),
        (transparent(Format::Avif), "Avif 7×5 alpha"),
        (heic, "Heic 4032×3024 alpha turned 6"),
        (heads::bmp(7, 5), "Bmp 7×5 lossless"),
        (heads::bmp(7, -5), "Bmp 7×5 lossless"),
        (heads::tiff(7, 5, 8), "Tiff 7×5 turned 8"),
        (heads::ico(), "Ico 256×256 alpha lossless"),
    ] {
        assert_eq!(described(&file), expected);
    }
}

#[test]
fn probe_requests_bytes_until_the_header_is_complete() {
    let exif = files::exif(6);
    for file in [
        files::with_exif(Format::Jpeg, Channels::Rgb, &exif),
        files::with_exif(Format::Png, Channels::Rgb, &exif),
        files::with_exif(Format::WebP, Channels::Rgb, &exif),
        files::gif(2),
        files::file(Format::Avif, 7, 5, Channels::Rgb),
        heads::heif(*b"heic", 40, 30, 0, None),
        heads::bmp(7, 5),
        heads::tiff(7, 5, 1),
        heads::ico(),
    ] {
        let whole = probe(&file).unwrap();
        // The shortest prefix that contains the brands of HEIF.
        let mut given = 24.min(file.len() - 1);

        loop {
            match probe(&file[..given]) {
                Ok(early) => {
                    let frames = if early.frames == Frames::Unknown {
                        early.frames
                    } else {
                        whole.frames
                    };
                    let has_alpha =
                        early.has_alpha || (whole.has_alpha && frames != Frames::Unknown);

                    assert_eq!(
                        early,
                        ImageInfo {
                            frames,
                            has_alpha,
                            ..whole
                        }
                    );
                    break;
                }
                Err(ProbeError::NeedsMore { bytes }) => {
                    let needed = usize::try_from(bytes).unwrap();
                    assert!(
                        needed > given && needed <= file.len(),
                        "{:?} {given} {needed}",
                        whole.format
                    );
                    given = needed;
                }
                Err(error) => panic!("{:?} {given}: {error}", whole.format),
            }
        }
    }
}

#[test]
fn probe_requests_a_large_profile_before_the_dimensions() {
    let mut file = files::file(Format::Jpeg, 7, 5, Channels::Rgb);
    for _ in 0..4 {
        file = files::with_segment(&file, 0xE2, &vec![0; 65_000]);
    }
    assert!(matches!(
        probe(&file[..65_536]),
        Err(ProbeError::NeedsMore { bytes: 65_537.. })
    ));
    assert_eq!(
        probe(&file).map(|probed| (probed.width, probed.height)),
        Ok((7, 5))
    );
}

#[test]
fn heif_rotation_and_mirroring_map_to_orientations() {
    for (turns, mirror, exif) in [
        (0, None, 1),
        (0, Some(1), 2),
        (2, None, 3),
        (0, Some(0), 4),
        (1, Some(0), 5),
        (3, Some(1), 5),
        (3, None, 6),
        (1, Some(1), 7),
        (3, Some(0), 7),
        (1, None, 8),
        (2, Some(1), 4),
        (2, Some(0), 2),
    ] {
        let probed = probe(&heads::heif(*b"avif", 40, 30, turns, mirror)).unwrap();
        assert_eq!(probed.orientation.to_exif(), exif, "{turns} {mirror:?}");

        let ImageSize { width, height } = probed.displayed();
        let expected = if exif >= 5 { (30, 40) } else { (40, 30) };
        assert_eq!((width, height), expected);
    }
}

#[test]
fn heif_has_alpha_only_of_images_that_refer_to_the_primary_one() {
    let file = heads::heif(*b"heic", 40, 30, 0, None);
    let reference = file.windows(4).position(|name| name == b"auxl").unwrap();
    assert!(probe(&file).unwrap().has_alpha);

    let mut other = file.clone();
    other[reference + 9] = 3;
    assert!(!probe(&other).unwrap().has_alpha);
    let mut endless = file;
    endless[reference + 6..reference + 8].fill(0xFF);
    assert_error!(probe(&endless), ProbeError::Malformed(_));
}

#[test]
fn heif_has_the_size_of_its_clean_aperture() {
    let cases = [
        ([64, 1], [48, 1], (64, 48)),
        ([126, 2], [90, 2], (63, 45)),
        ([65, 1], [48, 1], (64, 64)),
        ([0, 1], [48, 1], (64, 64)),
        ([63, 2], [48, 1], (32, 48)),
        ([64, 0], [48, 1], (64, 64)),
    ];

    for (width, height, expected) in cases {
        let probed = probe(&heads::heif_with_aperture(width, height)).unwrap();
        assert_eq!(
            (probed.width, probed.height),
            expected,
            "{width:?} {height:?}"
        );
    }
}

#[test]
fn unknown_formats_and_empty_images_are_rejected() {
    for other in [
        &b""[..],
        b"<svg xmlns=''/>",
        b"%PDF-1.7",
        b"BMW is a car",
        b"RIFF\0\0\0\0WAVE",
        b"\0\0\0\x18ftypmp42",
    ] {
        assert_eq!(probe(other), Err(ProbeError::UnknownFormat));
    }

    for file in [
        files::with_sides(&files::file(Format::Jpeg, 7, 5, Channels::Gray), 7, 0),
        heads::bmp(0, 5),
        heads::tiff(7, 0, 1),
        heads::heif(*b"heic", 0, 0, 0, None),
        // An animation whose header lacks a byte.
        files::webp(&[(*b"VP8X", &files::canvas(2, 7, 5)[..9])]),
    ] {
        assert_error!(probe(&file), ProbeError::Malformed(_));
    }
}
