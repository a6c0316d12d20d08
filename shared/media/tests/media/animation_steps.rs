//! Steps of rendering that apply to all frames of an animation.

use domain::{
    renditions::{Focus, Resize, Sides},
    settings::Gravity,
};
use gif::Repeat;
use media::{
    decode::decode,
    format::Format,
    pixels::Channels,
    probe::{Frames, probe},
    render::{WatermarkLayer, render},
};

use crate::{
    animation_files::{BLUE, CLEAR, FORMATS, GREEN, RED, REPLACES, gif, patch, webp, webp_frame},
    animation_viewer::{assert_colors, is_close, rendered, shown, to},
    files::{self, both, crop, fill, marked, resized},
};

/// The whole canvas of most animations here.
const WHOLE: [u16; 4] = [0, 0, 16, 8];

#[test]
fn frames_are_resized_and_cropped_alike() {
    let patches = [
        patch(RED, [0, 0, 64, 32]),
        patch(GREEN, [0, 0, 32, 32]),
        patch(BLUE, [48, 16, 16, 16]),
    ];
    let file = gif(64, 32, &patches, None);
    let filled = |gravity| fill(16, 16, Focus::At(gravity));
    let halves = [RED, GREEN, GREEN];
    let corner = [RED, RED, BLUE];

    for format in FORMATS {
        for (resize, size, left, right) in [
            (Resize::Fit(Sides::Width(32)), (32, 16), halves, corner),
            (Resize::Scale(Sides::Width(128)), (128, 64), halves, corner),
            (filled(Gravity::West), (16, 16), halves, halves),
            (filled(Gravity::East), (16, 16), [RED; 3], corner),
        ] {
            let options = resized(to(format), resize);
            let bytes = render(&file, &options).unwrap().bytes;
            let probed = probe(&bytes).unwrap();
            assert_eq!((probed.width, probed.height), size, "{resize:?}");

            let corner = |color| (probed.width - 4, probed.height - 4, color);
            assert_colors(
                &shown(&bytes),
                &[
                    &[(3, 3, left[0]), corner(right[0])],
                    &[(3, 3, left[1]), corner(right[1])],
                    &[(3, 3, left[2]), corner(right[2])],
                ],
                &format!("{format:?} {resize:?}"),
            );
        }
    }
}

#[test]
fn automatic_crop_is_chosen_from_the_first_frame() {
    // The first frame has content on the left only, the second one on the right only.
    let patches = [
        patch(GREEN, [0, 0, 16, 16]),
        patch(RED, [16, 0, 112, 32]),
        patch(BLUE, [112, 16, 16, 16]),
    ];
    let options = resized(to(Format::Gif), crop(both(32, 32), Focus::Auto));

    assert_colors(
        &rendered(&gif(128, 32, &patches, None), &options),
        &[
            &[(4, 4, GREEN), (28, 28, CLEAR)],
            &[(4, 4, GREEN), (28, 28, RED)],
            &[(4, 4, GREEN), (28, 28, RED)],
        ],
        "the left part",
    );
}

#[test]
fn orientation_is_applied_to_every_frame() {
    let frames = [
        webp_frame(patch(RED, WHOLE), REPLACES),
        webp_frame(patch(GREEN, [0, 0, 4, 4]), 0),
    ];
    let exif = files::exif(6);
    let file = files::webp_of_frames(0x1A, [16, 8], 0, &frames, &[(*b"EXIF", &exif)]);
    for format in FORMATS {
        let bytes = render(&file, &to(format)).unwrap().bytes;
        assert!(!files::contains(&bytes, files::SECRET));
        assert_eq!(probe(&bytes).unwrap().width, 8);
        // A quarter turn clockwise moves the top left corner to the top right.
        let expected: [&[_]; 2] = [&[(6, 1, RED)], &[(6, 1, GREEN), (1, 1, RED), (6, 14, RED)]];
        assert_colors(&shown(&bytes), &expected, &format!("{format:?}"));
    }
}

#[test]
fn watermark_is_on_every_frame() {
    let blue = files::png(files::solid(BLUE, 8, 8));
    let layer = WatermarkLayer::decode(&blue, Gravity::Center, 1.0).unwrap();

    let patches = [
        patch(RED, [0, 0, 64, 64]),
        patch(GREEN, [0, 0, 64, 64]),
        patch(RED, [0, 0, 8, 8]),
    ];
    let file = gif(64, 64, &patches, None);

    for format in FORMATS {
        let options = marked(to(format), &layer);
        assert_colors(
            &rendered(&file, &options),
            &[
                &[(32, 32, BLUE), (50, 50, RED)],
                &[(32, 32, BLUE), (50, 50, GREEN)],
                &[(32, 32, BLUE), (50, 50, GREEN), (3, 3, RED)],
            ],
            &format!("{format:?}"),
        );
    }
}

#[test]
fn other_formats_get_the_first_frame() {
    let partial = patch(RED, [0, 0, 8, 8]);
    let gif = gif(16, 8, &[partial, patch(GREEN, WHOLE)], None);
    let frames = [
        webp_frame(partial, REPLACES),
        webp_frame(patch(GREEN, WHOLE), REPLACES),
    ];
    let webp = webp(16, 8, &frames, 0);

    for file in [gif, webp] {
        for (format, background) in [
            (Format::Jpeg, [255; 4]),
            (Format::Png, CLEAR),
            (Format::Avif, CLEAR),
        ] {
            let bytes = render(&file, &to(format)).unwrap().bytes;
            let probed = probe(&bytes).unwrap();
            assert_eq!((probed.format, probed.frames), (format, Frames::Still));

            if format != Format::Avif {
                let mut pixels = decode(&bytes, &probed).unwrap();
                if pixels.channels == Channels::Rgb {
                    let samples = pixels.samples.as_chunks::<3>().0.iter();
                    pixels.samples = samples.flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
                }
                let pixels = pixels.samples.as_chunks::<4>().0;
                assert!(is_close(pixels[4 * 16 + 2], RED), "{format:?}");
                assert!(is_close(pixels[4 * 16 + 14], background), "{format:?}");
            }
        }
    }
}

#[test]
fn animation_of_one_frame_is_a_still_image() {
    let gif = gif(16, 8, &[patch(RED, WHOLE)], Some(Repeat::Infinite));
    let frame = webp_frame(patch(RED, [0, 0, 8, 8]), REPLACES);
    let webp = webp(16, 8, &[frame], 0);
    for file in [gif, webp] {
        for format in [Format::Gif, Format::WebP, Format::Png] {
            let bytes = render(&file, &to(format)).unwrap().bytes;
            let probed = probe(&bytes).unwrap();
            assert_eq!(probed.frames, Frames::Still, "{format:?}");
            let pixels = decode(&bytes, &probed).unwrap();
            assert!(pixels.samples[0].abs_diff(255) < 24, "{format:?}");
        }
    }
}
