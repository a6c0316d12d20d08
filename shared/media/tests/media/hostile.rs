//! Bombs, lies and stumps.

use domain::{Quality, TransformationRules, UploadFormat};
use media::{
    AVIF_PIXELS, Channels, DEMANDING_PIXELS, Format, Frames, Incoming, MediaError, PIXELS, Pixels,
    decode, encode, incoming, probe, require_end,
};

use crate::files;

/// Rules under which every format that can be decoded is.
fn encoded() -> [TransformationRules; 2] {
    [UploadFormat::Jpeg, UploadFormat::Png].map(|upload_format| TransformationRules {
        upload_format,
        upload_quality: Quality::Fixed(80),
        ..TransformationRules::default()
    })
}

fn stripping() -> TransformationRules {
    TransformationRules {
        strip_metadata: true,
        ..TransformationRules::default()
    }
}

/// The frame header's dimensions of a JPEG, replaced.
fn with_sides(jpeg: &[u8], width: u16, height: u16) -> Vec<u8> {
    let mut jpeg = jpeg.to_vec();
    let frame = jpeg
        .windows(2)
        .position(|window| matches!(window, [0xFF, 0xC0 | 0xC2]))
        .unwrap();
    jpeg[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    jpeg[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    jpeg
}

/// A PNG of these sides whose pixels are zeros, as many bytes of them as there are to be.
fn zeros(width: u32, height: u32, bytes: usize) -> Vec<u8> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 0, 0, 0, 0]);
    let pixels = zlib(&vec![0; bytes]);
    [
        &b"\x89PNG\r\n\x1A\n"[..],
        &files::chunk(*b"IHDR", &header),
        &files::chunk(*b"IDAT", &pixels),
        &files::chunk(*b"IEND", &[]),
    ]
    .concat()
}

/// Stored blocks of deflate, in zlib's wrapping.
fn zlib(data: &[u8]) -> Vec<u8> {
    let mut file = vec![0x78, 0x01];
    let blocks = data.chunks(65_535).count();
    for (number, block) in data.chunks(65_535).enumerate() {
        let length = u16::try_from(block.len()).unwrap();
        file.push(u8::from(number + 1 == blocks));
        file.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
        file.extend_from_slice(block);
    }
    let (low, high) = data.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    file.extend((high << 16 | low).to_be_bytes());
    file
}

#[test]
fn more_pixels_than_are_decoded_are_refused_by_the_header() {
    let jpeg = with_sides(
        &files::file(Format::Jpeg, 24, 16, Channels::Rgb),
        65_500,
        65_500,
    );
    let mut gif = files::gif(1);
    gif[6..10].fill(0xFF);
    let webp = webp_of_sides(16_383, 16_383);
    for file in [
        jpeg,
        zeros(65_535, 65_535, 9),
        zeros(10_001, 10_000, 9),
        gif,
        webp,
    ] {
        let probed = probe(&file).unwrap();
        let expected = MediaError::TooManyPixels {
            pixels: probed.pixels(),
            limit: PIXELS,
        };
        for rules in encoded()
            .into_iter()
            .filter(|rules| rules.upload_format != png_of(&probed))
        {
            assert_eq!(incoming(&file, &rules), Err(expected.clone()));
        }
        assert_eq!(decode(&file, &probed), Err(expected));
    }
}

#[test]
fn fewer_pixels_of_what_takes_more_memory_are_decoded() {
    for (width, height, fits) in [(8_000, 5_000, true), (8_000, 5_001, false)] {
        let sides: u32 = (width - 1) | (height - 1) << 14;
        let file = files::webp(&[(*b"VP8L", &[&[0x2F][..], &sides.to_le_bytes()].concat())]);
        let probed = probe(&file).unwrap();
        assert!(probed.lossless && (probed.width, probed.height) == (width, height));
        let expected = MediaError::TooManyPixels {
            pixels: probed.pixels(),
            limit: DEMANDING_PIXELS,
        };
        assert_eq!(decode(&file, &probed) == Err(expected), !fits);
    }
}

/// The format that leaves an image unchanged.
fn png_of(probed: &media::Probed) -> UploadFormat {
    if probed.format == Format::Png {
        UploadFormat::Png
    } else {
        UploadFormat::Original
    }
}

/// A lossy WebP that claims these sides.
fn webp_of_sides(width: u16, height: u16) -> Vec<u8> {
    let mut file = files::file(Format::WebP, 24, 16, Channels::Rgb);
    file[26..28].copy_from_slice(&width.to_le_bytes());
    file[28..30].copy_from_slice(&height.to_le_bytes());
    file
}

#[test]
fn headers_that_lie_about_their_dimensions_are_refused() {
    let rgb = |format| files::file(format, 240, 160, Channels::Rgb);
    let mut gif = files::gif(1);
    // The screen is smaller than its frame.
    gif[6] = 5;
    let lossy = rgb(Format::WebP);
    let canvas = files::webp(&[
        (*b"VP8X", &files::canvas(0, 24, 16)),
        (*b"VP8 ", &lossy[20..]),
    ]);
    let two_frames = {
        let jpeg = rgb(Format::Jpeg);
        let frame = jpeg
            .windows(2)
            .position(|window| window == [0xFF, 0xC0])
            .unwrap();
        [
            &jpeg[..frame],
            &with_sides(&jpeg, 24, 16)[frame..frame + 19],
            &jpeg[frame..],
        ]
        .concat()
    };
    for (name, file) in [
        ("JPEG, too high", with_sides(&rgb(Format::Jpeg), 240, 4_000)),
        ("JPEG, too wide", with_sides(&rgb(Format::Jpeg), 4_000, 160)),
        ("JPEG, twice", two_frames),
        ("PNG, too little", zeros(100, 100, 50 * 101)),
        ("GIF", gif),
        ("WebP, canvas", canvas),
        ("WebP, too large", webp_of_sides(4_000, 4_000)),
    ] {
        let [as_jpeg, as_png] = encoded();
        let rules = if name.starts_with("PNG") {
            as_jpeg
        } else {
            as_png
        };
        let error = incoming(&file, &rules).expect_err(name);
        assert!(
            matches!(error, MediaError::Malformed(_) | MediaError::EndsEarly),
            "{name}: {error}"
        );
    }
}

#[test]
fn images_that_end_early_are_refused_wherever_they_end() {
    let progressive = media::Encoding {
        progressive: true,
        ..files::plain(Format::Jpeg)
    };
    let files = [
        files::file(Format::Jpeg, 64, 48, Channels::Rgb),
        encode(files::picture(64, 48, Channels::Rgb), &progressive).unwrap(),
        files::file(Format::Png, 64, 48, Channels::Rgba),
        files::gif(1),
        files::gif(2),
        files::file(Format::WebP, 64, 48, Channels::Rgba),
        files::with_exif(Format::WebP, Channels::Rgb, &files::exif(1)),
    ];
    for file in &files {
        let format = probe(file).unwrap().format;
        assert_eq!(require_end(file), Ok(()), "{format:?}");
        for length in (16..file.len()).step_by(1 + file.len() / 97) {
            let stump = &file[..length];
            assert_eq!(
                require_end(stump),
                Err(MediaError::EndsEarly),
                "{format:?} at {length}"
            );
            assert_eq!(
                incoming(stump, &TransformationRules::default()),
                Ok(Incoming::Unchanged)
            );
            let avif = TransformationRules {
                upload_format: UploadFormat::Avif,
                ..TransformationRules::default()
            };
            // Of a GIF that is seen to move nothing but stripping is asked.
            let is_animated = probe(stump).is_ok_and(|probed| probed.frames == Frames::Animated);
            for rules in [stripping(), avif]
                .into_iter()
                .take(if is_animated { 1 } else { 2 })
            {
                assert_eq!(
                    incoming(stump, &rules),
                    Err(MediaError::EndsEarly),
                    "{format:?} at {length} of {}",
                    file.len()
                );
            }
        }
    }
}

#[test]
fn a_jpeg_whose_end_was_made_up_is_refused() {
    let jpeg = files::file(Format::Jpeg, 240, 160, Channels::Rgb);
    let made_up = [&jpeg[..jpeg.len() / 2], &[0xFF, 0xD9]].concat();
    for rules in encoded() {
        assert!(matches!(
            incoming(&made_up, &rules),
            Err(MediaError::Malformed(_))
        ));
    }
}

#[test]
fn a_jpeg_of_endless_scans_is_refused() {
    let progressive = media::Encoding {
        progressive: true,
        ..files::plain(Format::Jpeg)
    };
    let jpeg = encode(files::picture(24, 16, Channels::Rgb), &progressive).unwrap();
    let last = jpeg
        .windows(2)
        .rposition(|window| window == [0xFF, 0xDA])
        .unwrap();
    let scan = jpeg[last..jpeg.len() - 2].to_vec();
    let bomb = [&jpeg[..jpeg.len() - 2], &scan.repeat(1_000), &[0xFF, 0xD9]].concat();
    for rules in encoded() {
        assert!(matches!(
            incoming(&bomb, &rules),
            Err(MediaError::TooManyScans(_))
        ));
    }
}

#[test]
fn giant_profiles_and_camera_data_neither_fail_nor_come_along() {
    let giant = vec![7; 6 << 20];
    let picture = Pixels {
        profile: Some(giant.clone()),
        ..files::picture(24, 16, Channels::Rgb)
    };
    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let file = encode(picture.clone(), &files::plain(format)).unwrap();
        for rules in encoded() {
            let result = incoming(&file, &rules);
            assert!(result.is_ok(), "{format:?}: {result:?}");
        }
    }
    let mut exif = files::exif(6);
    exif.resize(6 << 20, 0);
    let webp = files::with_exif(Format::WebP, Channels::Rgb, &exif);
    let [as_jpeg, _] = encoded();
    let Incoming::Changed(changed) = incoming(&webp, &as_jpeg).unwrap() else {
        panic!("unchanged")
    };
    assert!((changed.width, changed.height) == (16, 24) && changed.bytes.len() < 10_000);
}

#[test]
fn what_does_not_fit_into_a_format_says_so() {
    let strip = |width| zeros(width, 1, width as usize + 1);
    for (format, width) in [
        (UploadFormat::WebP, 16_384),
        (UploadFormat::Jpeg, 65_501),
        (UploadFormat::Avif, 65_536),
    ] {
        let rules = TransformationRules {
            upload_format: format,
            ..TransformationRules::default()
        };
        assert!(
            matches!(
                incoming(&strip(width), &rules),
                Err(MediaError::DoesNotFit { .. })
            ),
            "{format:?}"
        );
    }
    let lossless = media::Encoding {
        lossless: true,
        ..files::plain(Format::WebP)
    };
    let middling = media::Encoding {
        quality: 85,
        ..files::plain(Format::Avif)
    };
    for (encoding, width, limit) in [
        (lossless, 8_001, DEMANDING_PIXELS),
        (middling, 2_501, AVIF_PIXELS),
        (files::plain(Format::Avif), 1_251, AVIF_PIXELS / 2),
    ] {
        let samples = vec![0; width as usize * 5_000];
        let large = Pixels {
            width,
            height: 5_000,
            channels: Channels::Grey,
            samples,
            profile: None,
        };
        let expected = MediaError::TooManyPixels {
            pixels: u64::from(width) * 5_000,
            limit,
        };
        assert_eq!(encode(large, &encoding), Err(expected));
    }
}

#[test]
fn an_animated_webp_is_not_decoded() {
    let file = files::animated_webp(&files::exif(1));
    assert_eq!(
        decode(&file, &probe(&file).unwrap()),
        Err(MediaError::NotDecoded(Format::WebP))
    );
}
