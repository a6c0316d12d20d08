//! Color profiles of transformed images.

use media::{
    encode::encode,
    format::Format,
    pixels::{Channels, Pixels},
    transform::{TransformOutcome, transform},
};

use crate::{
    files::{self, pixels},
    transform::rules,
};

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
fn damaged_profile_for_the_pixels_is_kept() {
    let mut damaged = b"no profile".repeat(20);
    damaged[16..20].copy_from_slice(b"RGB ");

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let picture = Pixels {
            profile: Some(damaged.clone()),
            ..files::picture(24, 16, Channels::Rgb)
        };
        let file = encode(picture, &files::plain(format)).unwrap();

        for asked in ["jpeg 70", "png", "webp 70"] {
            if let TransformOutcome::Transformed(changed) = transform(&file, &rules(asked)).unwrap()
            {
                assert_eq!(
                    pixels(&changed.bytes).profile.as_ref(),
                    Some(&damaged),
                    "{format:?} {asked}"
                );
            }
        }
    }
}
