//! Removal of metadata.

use media::{
    completeness::require_complete,
    format::Format,
    pixels::Channels,
    probe::{Frames, probe},
    transform::{TransformOutcome, transform},
};

use crate::{
    files::{self, SECRET, contains, pixels},
    transform::{changed, rules},
};

fn stripped(file: &[u8]) -> Vec<u8> {
    changed(file, "strip")
}

/// Returns files with all kinds of metadata and normal orientation.
fn files_with_metadata() -> Vec<(&'static str, Vec<u8>)> {
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
fn strip_removes_all_metadata_and_keeps_pixels() {
    for (name, file) in files_with_metadata() {
        assert!(contains(&file, SECRET), "{name}");
        let result = stripped(&file);
        assert!(!contains(&result, SECRET), "{name}");
        assert!(pixels(&result) == pixels(&file), "{name}");

        // A second run changes nothing.
        let again = transform(&result, &rules("strip"));
        assert_eq!(again, Ok(TransformOutcome::Unchanged), "{name}");
    }
}

#[test]
fn fill_bytes_before_a_removed_segment_do_not_become_a_marker() {
    let mut jpeg = files::file(Format::Jpeg, 24, 16, Channels::Rgb);
    jpeg.truncate(jpeg.len() - 2);
    // A fill byte, a comment, data and the end.
    jpeg.extend([0xFF, 0xFF, 0xFE, 0, 4, 1, 1, 0x4F, 0xFF, 0xD9]);

    assert_eq!(require_complete(&stripped(&jpeg)), Ok(()));
}

#[test]
fn stripped_animations_keep_their_frames() {
    let png = files::with_chunk(&files::animated_png(3), *b"tEXt", SECRET);
    for file in [files::gif(3), files::animated_webp(&files::exif(1)), png] {
        let before = probe(&file).unwrap();
        assert_eq!(before.frames, Frames::Animated);
        let result = stripped(&file);
        assert!(!contains(&result, SECRET));
        assert_eq!(probe(&result), Ok(before));
        assert!(result.len() > file.len() / 2);
    }
    // The loop count is not metadata.
    assert!(contains(&stripped(&files::gif(2)), b"NETSCAPE2.0"));
}

#[test]
fn stripped_animation_keeps_only_its_orientation() {
    let png = files::with_chunk(&files::animated_png(2), *b"eXIf", &files::exif(6));
    for file in [files::animated_webp(&files::exif(6)), png] {
        let result = stripped(&file);
        assert!(!contains(&result, SECRET));
        assert_eq!(probe(&result), probe(&file));
    }
}

#[test]
fn strip_keeps_color_profiles() {
    let profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let picture = media::pixels::Pixels {
            profile: Some(profile.clone()),
            ..files::picture(24, 16, Channels::Rgb)
        };
        let exif = files::exif(1);
        let encoding = media::encode::EncodeOptions {
            exif: Some(&exif),
            ..files::plain(format)
        };
        let file = media::encode::encode(picture, &encoding).unwrap();

        let result = stripped(&file);
        assert!(!contains(&result, SECRET), "{format:?}");
        // Without the profile, the decoder would return other colors.
        assert!(pixels(&result) == pixels(&file), "{format:?}");

        let plain =
            media::encode::encode(files::picture(24, 16, Channels::Rgb), &files::plain(format))
                .unwrap();
        assert!(pixels(&result) != pixels(&plain), "{format:?}");
    }
}
