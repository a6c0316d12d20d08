//! Metadata goes, pixels stay.

use domain::TransformationRules;
use media::{Channels, Format, Frames, Incoming, decode, incoming, probe};

use crate::files::{self, SECRET, contains};

fn stripped(file: &[u8]) -> Vec<u8> {
    let rules = TransformationRules {
        strip_metadata: true,
        ..TransformationRules::default()
    };
    match incoming(file, &rules).unwrap() {
        Incoming::Changed(changed) => changed.bytes,
        Incoming::Unchanged => panic!("unchanged"),
    }
}

/// Files with everything that is to go, whose pixels are seen as they are stored.
fn marked() -> Vec<(&'static str, Vec<u8>)> {
    let exif = files::exif(1);
    let mut jpeg = files::with_exif(Format::Jpeg, Channels::Rgb, &exif);
    for (marker, name) in [
        (0xE1, "http://ns.adobe.com/xap/1.0/\0"),
        (0xED, "Photoshop 3.0\0"),
        (0xE2, "MPF\0"),
        (0xFE, ""),
    ] {
        jpeg = files::with_segment(&jpeg, marker, &[name.as_bytes(), SECRET].concat());
    }
    jpeg.extend_from_slice(&files::with_exif(Format::Jpeg, Channels::Rgb, &exif));
    let mut png = files::with_exif(Format::Png, Channels::Rgba, &exif);
    for kind in [*b"tEXt", *b"zTXt", *b"iTXt", *b"tIME", *b"prVt"] {
        png = files::with_chunk(&png, kind, SECRET);
    }
    png.extend_from_slice(SECRET);
    let mut gif = files::gif(1);
    gif.extend_from_slice(SECRET);
    let mut webp = files::with_exif(Format::WebP, Channels::Rgba, &exif);
    webp.extend_from_slice(SECRET);
    vec![("JPEG", jpeg), ("PNG", png), ("GIF", gif), ("WebP", webp)]
}

#[test]
fn stripping_leaves_the_pixels_and_nothing_that_tells_on_anybody() {
    for (name, file) in marked() {
        assert!(contains(&file, SECRET), "{name}");
        let result = stripped(&file);
        assert!(!contains(&result, SECRET), "{name}");
        let pixels = |file: &[u8]| decode(file, &probe(file).unwrap()).unwrap();
        assert!(pixels(&result) == pixels(&file), "{name}");
        // Once more there is nothing to do.
        let rules = TransformationRules {
            strip_metadata: true,
            ..TransformationRules::default()
        };
        assert_eq!(incoming(&result, &rules), Ok(Incoming::Unchanged), "{name}");
    }
}

#[test]
fn animations_are_stripped_frame_by_frame_and_stay_animations() {
    let png = files::with_chunk(&files::animated_png(3), *b"tEXt", SECRET);
    for file in [files::gif(3), files::animated_webp(&files::exif(1)), png] {
        let before = probe(&file).unwrap();
        assert_eq!(before.frames, Frames::Animated);
        let result = stripped(&file);
        assert!(!contains(&result, SECRET));
        assert_eq!(probe(&result), Ok(before));
        assert!(result.len() > file.len() / 2);
    }
    // How often it repeats is no metadata.
    assert!(contains(&stripped(&files::gif(2)), b"NETSCAPE2.0"));
}

#[test]
fn a_turned_animation_says_how_it_is_turned_and_nothing_else() {
    let png = files::with_chunk(&files::animated_png(2), *b"eXIf", &files::exif(6));
    for file in [files::animated_webp(&files::exif(6)), png] {
        let result = stripped(&file);
        assert!(!contains(&result, SECRET));
        assert_eq!(probe(&result), probe(&file));
    }
}

#[test]
fn colour_profiles_are_kept() {
    let profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let picture = media::Pixels {
            profile: Some(profile.clone()),
            ..files::picture(24, 16, Channels::Rgb)
        };
        let exif = files::exif(1);
        let encoding = media::Encoding {
            exif: Some(&exif),
            ..files::plain(format)
        };
        let file = media::encode(picture, &encoding).unwrap();
        let result = stripped(&file);
        let pixels = |file: &[u8]| decode(file, &probe(file).unwrap()).unwrap();
        assert!(!contains(&result, SECRET), "{format:?}");
        // They are what the decoder converts by: without the profile these would be other colours.
        assert!(pixels(&result) == pixels(&file), "{format:?}");
        let plain =
            media::encode(files::picture(24, 16, Channels::Rgb), &files::plain(format)).unwrap();
        assert!(pixels(&result) != pixels(&plain), "{format:?}");
    }
}
