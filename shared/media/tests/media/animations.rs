//! Frames of rendered GIF and WebP animations: number, durations, loops, compositing.

use gif::Repeat;
use media::{format::Format, render::render};

use crate::{
    animation_files::{
        BLUE, CLEAR, FORMATS, GREEN, IS_CLEARED, Patch, RED, REPLACES, gif, patch, webp, webp_frame,
    },
    animation_viewer::{assert_colors, rendered, to},
};

/// The whole canvas of most animations here.
const WHOLE: [u16; 4] = [0, 0, 16, 8];

#[test]
fn frames_keep_their_durations_and_the_animation_its_loops() {
    let delays = [0, 1, 2, 7, 65_535];
    let patches = delays.map(|delay| Patch {
        delay,
        ..patch(RED, WHOLE)
    });
    let milliseconds = delays.map(|delay| u32::from(delay) * 10);
    for (repeat, plays) in [
        (None, 1),
        (Some(Repeat::Infinite), 0),
        (Some(Repeat::Finite(4)), 5),
    ] {
        let file = gif(16, 8, &patches, repeat);
        for format in FORMATS {
            let found = rendered(&file, &to(format));
            let durations = found.frames.iter().map(|frame| frame.milliseconds);
            assert_eq!(durations.collect::<Vec<_>>(), milliseconds, "{format:?}");
            assert_eq!(found.plays, plays, "{format:?}");

            let again = rendered(&render(&file, &to(format)).unwrap().bytes, &to(Format::Gif));
            assert_eq!(again.plays, plays);
        }
    }
}

#[test]
fn durations_of_a_webp_are_rounded_in_a_gif() {
    // In hundredths of a second; the file contains milliseconds.
    for (milliseconds, expected) in [
        (0, 0),
        (4, 0),
        (5, 10),
        (10, 10),
        (11, 20),
        (33, 30),
        (35, 40),
    ] {
        let mut frame = webp_frame(patch(RED, WHOLE), REPLACES);
        frame[12] = milliseconds;
        let file = webp(16, 8, &[frame.clone(), frame], 0);

        let found = rendered(&file, &to(Format::Gif));
        assert_eq!(found.frames[0].milliseconds, expected, "{milliseconds}");
        assert_eq!(
            rendered(&file, &to(Format::WebP)).frames[0].milliseconds,
            u32::from(milliseconds)
        );
    }
}

#[test]
fn partial_webp_frames_are_composited_by_their_flags() {
    let base = webp_frame(patch(RED, WHOLE), REPLACES);
    let corner = patch(GREEN, [0, 0, 8, 4]);
    let half = Patch {
        color: [0, 255, 0, 128],
        ..corner
    };
    let nothing = Patch {
        color: CLEAR,
        ..corner
    };
    let last = webp_frame(patch(BLUE, [12, 6, 4, 2]), 0);
    let mixed = [127, 128, 0, 255];

    for (middle, flags, shown, uncovered) in [
        (corner, 0, GREEN, GREEN),
        (corner, IS_CLEARED, GREEN, CLEAR),
        (half, 0, mixed, mixed),
        (nothing, 0, RED, RED),
        (nothing, REPLACES, CLEAR, CLEAR),
        (nothing, IS_CLEARED, RED, CLEAR),
    ] {
        let frames = [base.clone(), webp_frame(middle, flags), last.clone()];
        let file = webp(16, 8, &frames, 0);
        for format in FORMATS {
            assert_colors(
                &rendered(&file, &to(format)),
                &[
                    &[(2, 1, RED), (14, 7, RED)],
                    &[(2, 1, shown), (14, 7, RED), (10, 1, RED)],
                    &[(2, 1, uncovered), (14, 7, BLUE), (10, 1, RED)],
                ],
                &format!("{shown:?} {flags} {format:?}"),
            );
        }
    }
}

#[test]
fn partly_transparent_pixels_stay_so_in_webp() {
    let half = webp_frame(patch([0, 255, 0, 128], WHOLE), REPLACES);
    let file = webp(16, 8, &[half, webp_frame(patch(RED, WHOLE), REPLACES)], 3);
    let found = rendered(&file, &to(Format::WebP));
    assert_eq!(found.plays, 3);
    assert_eq!(found.frames[0].pixel(8, 4)[3], 128);
    assert_eq!(found.frames[1].pixel(8, 4)[3], 255);
}
