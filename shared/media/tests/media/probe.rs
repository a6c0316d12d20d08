//! Probing of headers.

use media::{Channels, Dimensions, Format, Frames, ImageInfo, Orientation, ProbeError, probe};

use crate::files::{self, assert_error};

fn probed(format: Format, width: u32, height: u32) -> ImageInfo {
    ImageInfo {
        format,
        width,
        height,
        orientation: Orientation::Normal,
        frames: Frames::Still,
        has_alpha: false,
        progressive: false,
        lossless: false,
    }
}

fn rotated(format: Format) -> ImageInfo {
    ImageInfo {
        orientation: Orientation::QuarterTurn,
        ..probed(format, 24, 16)
    }
}

fn lossless(format: Format, width: u32, height: u32) -> ImageInfo {
    ImageInfo {
        lossless: true,
        ..probed(format, width, height)
    }
}

#[test]
fn probe_reads_headers_of_jpeg_and_png() {
    let exif = files::exif(6);
    let progressive = files::progressive();

    for (name, file, expected) in [
        (
            "JPEG",
            files::file(Format::Jpeg, 7, 5, Channels::Gray),
            probed(Format::Jpeg, 7, 5),
        ),
        (
            "progressive JPEG",
            media::encode(files::picture(7, 5, Channels::Rgb), &progressive).unwrap(),
            ImageInfo {
                progressive: true,
                ..probed(Format::Jpeg, 7, 5)
            },
        ),
        (
            "rotated JPEG",
            files::with_exif(Format::Jpeg, Channels::Rgb, &exif),
            rotated(Format::Jpeg),
        ),
        (
            "PNG",
            files::file(Format::Png, 7, 5, Channels::Rgb),
            lossless(Format::Png, 7, 5),
        ),
        (
            "transparent PNG",
            files::file(Format::Png, 7, 5, Channels::Rgba),
            ImageInfo {
                has_alpha: true,
                ..lossless(Format::Png, 7, 5)
            },
        ),
        (
            "rotated PNG",
            files::with_exif(Format::Png, Channels::Rgb, &exif),
            ImageInfo {
                lossless: true,
                ..rotated(Format::Png)
            },
        ),
        (
            "animated PNG",
            files::animated_png(2),
            ImageInfo {
                frames: Frames::Animated,
                ..lossless(Format::Png, 6, 4)
            },
        ),
    ] {
        assert_eq!(probe(&file), Ok(expected), "{name}");
    }
}

#[test]
fn probe_reads_headers_of_gif_and_webp() {
    let exif = files::exif(6);
    for (name, file, expected) in [
        (
            "GIF",
            files::gif(1),
            ImageInfo {
                has_alpha: true,
                ..lossless(Format::Gif, 6, 4)
            },
        ),
        (
            "animated GIF",
            files::gif(2),
            ImageInfo {
                has_alpha: true,
                frames: Frames::Animated,
                ..lossless(Format::Gif, 6, 4)
            },
        ),
        (
            "WebP",
            files::file(Format::WebP, 7, 5, Channels::Rgb),
            probed(Format::WebP, 7, 5),
        ),
        (
            "transparent WebP",
            files::file(Format::WebP, 7, 5, Channels::Rgba),
            ImageInfo {
                has_alpha: true,
                ..probed(Format::WebP, 7, 5)
            },
        ),
        (
            "lossless WebP",
            media::encode(files::picture(7, 5, Channels::Rgb), &files::lossless()).unwrap(),
            lossless(Format::WebP, 7, 5),
        ),
        (
            "rotated WebP",
            files::with_exif(Format::WebP, Channels::Rgb, &exif),
            rotated(Format::WebP),
        ),
        (
            "animated WebP",
            files::animated_webp(&exif),
            ImageInfo {
                frames: Frames::Animated,
                ..rotated(Format::WebP)
            },
        ),
    ] {
        assert_eq!(probe(&file), Ok(expected), "{name}");
    }
}

#[test]
fn probe_reads_headers_of_heif_bmp_tiff_and_ico() {
    for (name, file, expected) in [
        (
            "AVIF",
            files::file(Format::Avif, 7, 5, Channels::Rgb),
            probed(Format::Avif, 7, 5),
        ),
        (
            "transparent AVIF",
            files::file(Format::Avif, 7, 5, Channels::Rgba),
            ImageInfo {
                has_alpha: true,
                ..probed(Format::Avif, 7, 5)
            },
        ),
        (
            "HEIC",
            files::heif(*b"heic", 4_032, 3_024, 3, None),
            ImageInfo {
                has_alpha: true,
                orientation: Orientation::QuarterTurn,
                ..probed(Format::Heic, 4_032, 3_024)
            },
        ),
        ("BMP", files::bmp(7, 5), lossless(Format::Bmp, 7, 5)),
        (
            "top-down BMP",
            files::bmp(7, -5),
            lossless(Format::Bmp, 7, 5),
        ),
        (
            "TIFF",
            files::tiff(7, 5, 8),
            ImageInfo {
                orientation: Orientation::QuarterTurnBack,
                ..probed(Format::Tiff, 7, 5)
            },
        ),
        (
            "icon",
            files::ico(),
            ImageInfo {
                has_alpha: true,
                ..lossless(Format::Ico, 256, 256)
            },
        ),
    ] {
        assert_eq!(probe(&file), Ok(expected), "{name}");
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
        files::heif(*b"heic", 40, 30, 0, None),
        files::bmp(7, 5),
        files::tiff(7, 5, 1),
        files::ico(),
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
        let probed = probe(&files::heif(*b"avif", 40, 30, turns, mirror)).unwrap();
        assert_eq!(probed.orientation.to_exif(), exif, "{turns} {mirror:?}");
        let Dimensions { width, height } = probed.displayed();
        let expected = if exif >= 5 { (30, 40) } else { (40, 30) };
        assert_eq!((width, height), expected);
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
        files::bmp(0, 5),
        files::tiff(7, 0, 1),
        files::heif(*b"heic", 0, 0, 0, None),
        // An animation whose header lacks a byte.
        files::webp(&[(*b"VP8X", &files::canvas(2, 7, 5)[..9])]),
    ] {
        assert_error!(probe(&file), ProbeError::Malformed(_));
    }
}
