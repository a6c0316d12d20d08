//! Color profiles and CMYK.

use media::{Channels, Format, Pixels, TransformOutcome, encode, transform};

use crate::{
    files,
    transform::{changed, pixels, rules},
};

#[test]
fn colors_are_converted_from_profile_to_srgb() {
    let p3 = moxcms::ColorProfile::new_display_p3();
    let of = |color: [u8; 3], profile| Pixels {
        width: 16,
        height: 16,
        channels: Channels::Rgb,
        samples: color.repeat(256),
        profile,
    };
    let seen = |picture| {
        let file = encode(picture, &files::plain(Format::Png)).unwrap();
        let png = changed(&changed(&file, "webp 100"), "png");
        assert_eq!(pixels(&png).profile, None);
        <[u8; 3]>::try_from(&pixels(&png).samples[..3]).unwrap()
    };

    // Display P3's (117, 251, 76) is the brightest green of sRGB.
    let close = |found: [u8; 3], expected: [u8; 3]| {
        found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 6)
    };
    let found = seen(of([117, 251, 76], Some(p3.encode().unwrap())));

    assert!(close(found, [0, 255, 0]), "{found:?}");

    let found = seen(of([117, 251, 76], None));
    assert!(close(found, [117, 251, 76]), "{found:?}");
}

#[test]
fn gray_profile_is_converted_to_gray() {
    let profile = moxcms::ColorProfile::new_gray_with_gamma(1.0)
        .encode()
        .unwrap();
    let samples = [0, 55, 255].map(|gray| [gray; 8]).concat();
    let picture = Pixels {
        width: 8,
        height: 3,
        channels: Channels::Gray,
        samples,
        profile: Some(profile),
    };
    let found = pixels(&encode(picture, &files::plain(Format::Png)).unwrap());

    assert_eq!((found.channels, found.profile), (Channels::Gray, None));

    // 21.5% linear light is 50% in sRGB.
    for (row, expected) in [(0, 0_u8), (1, 128), (2, 255)] {
        assert!(
            found.samples[row * 8].abs_diff(expected) <= 2,
            "{row} {}",
            found.samples[row * 8]
        );
    }
}

#[test]
fn unusable_profile_is_kept() {
    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let picture = Pixels {
            profile: Some(b"no profile".repeat(20)),
            ..files::picture(24, 16, Channels::Rgb)
        };
        let file = encode(picture, &files::plain(format)).unwrap();
        for asked in ["jpeg 70", "png", "webp 70"] {
            if let TransformOutcome::Transformed(changed) = transform(&file, &rules(asked)).unwrap()
            {
                assert_eq!(
                    pixels(&changed.bytes).profile,
                    Some(b"no profile".repeat(20)),
                    "{format:?} {asked}"
                );
            }
        }
    }
}

#[test]
fn cmyk_is_converted_to_rgb() {
    for (is_adobe, inks, expected) in [
        (false, [0, 255, 255, 0], [255, 0, 0]),
        (true, [255, 0, 0, 255], [255, 0, 0]),
        (false, [0, 0, 0, 255], [0, 0, 0]),
        (false, [0, 0, 0, 0], [255, 255, 255]),
    ] {
        let mut settings = mozjpeg::Compress::new(mozjpeg::ColorSpace::JCS_CMYK);
        settings.set_size(16, 16);
        settings.set_quality(100.0);
        let mut started = settings.start_compress(Vec::new()).unwrap();
        started.write_scanlines(&inks.repeat(256)).unwrap();
        let mut file = started.finish().unwrap();
        // The encoder always writes an Adobe segment, which is removed for the other cases.
        let adobe = file
            .windows(9)
            .position(|window| window[1] == 0xEE && window[4..] == *b"Adobe")
            .unwrap();
        if !is_adobe {
            file.drain(adobe..adobe + 16);
        }
        let found = pixels(&changed(&file, "png"));
        assert_eq!(found.channels, Channels::Rgb);
        assert!(
            found.samples[..3]
                .iter()
                .zip(expected)
                .all(|(a, b)| a.abs_diff(b) <= 3),
            "{:?}",
            &found.samples[..3]
        );
    }
}
