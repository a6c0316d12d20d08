//! Limits of animations, and animations that are truncated or malformed.

use domain::renditions::{Resize, Sides};
use media::{
    animation::{MAX_ANIMATED_GIF_PIXELS, MAX_ANIMATED_WEBP_PIXELS, MAX_FRAMES},
    error::MediaError,
    format::Format,
    probe::probe,
    render::render,
};

use crate::{
    animation_files::{BLUE, FORMATS, GREEN, Patch, RED, REPLACES, gif, patch, webp, webp_frame},
    animation_viewer::{shown, to},
    files::{self, assert_error},
};

/// Returns a GIF with this number of 1×1 frames.
fn gif_of_frames(count: usize, width: u16, height: u16) -> Vec<u8> {
    let frame = b"\x2C\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
    let mut file = b"GIF89a".to_vec();
    file.extend([width.to_le_bytes(), height.to_le_bytes()].concat());
    file.extend_from_slice(b"\x80\0\0\0\0\0\xFF\xFF\xFF");
    file.extend(frame.repeat(count));
    file.push(b';');
    file
}

fn three_frames() -> [Patch; 3] {
    [
        patch(RED, [0, 0, 16, 8]),
        patch(GREEN, [2, 2, 6, 4]),
        patch(BLUE, [8, 0, 8, 8]),
    ]
}

#[test]
fn gif_of_a_million_frames_is_rejected_by_its_headers() {
    let file = gif_of_frames(1_000_000, 1, 1);
    for format in FORMATS {
        let result = render(&file, &to(format));
        assert_eq!(result, Err(MediaError::AnimationTooLarge));
    }
    assert!(render(&file, &to(Format::Png)).is_ok(), "the first frame");
}

#[test]
fn maximum_number_of_frames_is_rendered() {
    let max = MAX_FRAMES as usize;
    let found = render(&gif_of_frames(max, 1, 1), &to(Format::Gif)).unwrap();
    assert_eq!(shown(&found.bytes).frames.len(), max);

    let result = render(&gif_of_frames(max + 1, 1, 1), &to(Format::Gif));
    assert_eq!(result, Err(MediaError::AnimationTooLarge));
}

#[test]
fn webp_with_too_many_frames_is_rejected_by_its_headers() {
    let frame = webp_frame(patch(RED, [0, 0, 2, 2]), REPLACES);
    let frames = vec![frame; MAX_FRAMES as usize + 1];
    let result = render(&webp(2, 2, &frames, 0), &to(Format::WebP));
    assert_eq!(result, Err(MediaError::AnimationTooLarge));
}

#[test]
fn animation_with_too_many_pixels_in_all_frames_is_rejected() {
    // 16 million pixels per frame.
    let file = gif_of_frames(26, 4_000, 4_000);
    let resize = Some(Resize::Fit(Sides::Width(100)));
    for format in FORMATS {
        let options = files::resized(to(format), resize);
        assert_eq!(render(&file, &options), Err(MediaError::AnimationTooLarge));
    }
}

#[test]
fn output_with_too_many_pixels_in_all_frames_is_rejected() {
    let file = gif_of_frames(100, 10, 10);
    let resize = Some(Resize::Scale(Sides::Width(800)));
    for (format, limit) in [
        (Format::Gif, MAX_ANIMATED_GIF_PIXELS),
        (Format::WebP, MAX_ANIMATED_WEBP_PIXELS),
    ] {
        let options = files::resized(to(format), resize);
        let expected = MediaError::AnimatedOutputTooLarge {
            pixels: 64_000_000,
            limit,
        };
        assert_eq!(render(&file, &options), Err(expected));
    }
}

#[test]
fn canvas_over_the_pixel_limit_is_rejected_by_its_header() {
    let frame = webp_frame(patch(RED, [0, 0, 2, 2]), REPLACES);
    let mut file = webp(2, 2, &[frame.clone(), frame], 0);
    // 8,000 × 8,000 pixels.
    file[24..30].copy_from_slice(&[0x3F, 0x1F, 0, 0x3F, 0x1F, 0]);
    assert_eq!(probe(&file).unwrap().width, 8_000);

    let resize = Some(Resize::Fit(Sides::Width(100)));
    for format in [Format::WebP, Format::Png] {
        let options = files::resized(to(format), resize);
        assert_error!(render(&file, &options), MediaError::TooManyPixels { .. });
    }
}

#[test]
fn animation_that_ends_in_its_first_frame_is_truncated() {
    let gif = gif(16, 8, &three_frames(), None);
    let frames = three_frames().map(|patch| webp_frame(patch, REPLACES));
    let webp = webp(16, 8, &frames, 0);
    for (file, length) in [(gif, 50), (webp, 70)] {
        for format in FORMATS {
            let result = render(&file[..length], &to(format));
            assert_eq!(result, Err(MediaError::Truncated), "{length} {format:?}");
        }
    }
}

#[test]
fn gif_without_its_end_or_with_bytes_after_its_frames_has_all_frames() {
    let file = gif(16, 8, &three_frames(), None);
    let frames = &file[..file.len() - 1];
    for ending in [&b""[..], b"\0\0\0\0", b"garbage", b";garbage"] {
        let bytes = [frames, ending].concat();
        let found = render(&bytes, &to(Format::WebP)).unwrap();
        assert_eq!(shown(&found.bytes).frames.len(), 3, "{ending:?}");
    }
}

#[test]
fn damaged_frame_of_a_webp_ends_the_animation() {
    let first = || webp_frame(patch(RED, [0, 0, 16, 8]), REPLACES);
    let outside = webp_frame(patch(GREEN, [12, 4, 6, 4]), REPLACES);
    let mut wrong_width = webp_frame(patch(GREEN, [0, 0, 6, 4]), REPLACES);
    wrong_width[6] = 3;
    let without_pixels = wrong_width[..16].to_vec();
    for damaged in [outside, wrong_width, without_pixels] {
        let file = webp(16, 8, &[first(), damaged.clone(), first()], 0);
        for format in FORMATS {
            let found = render(&file, &to(format)).unwrap();
            assert_eq!(shown(&found.bytes).frames.len(), 1, "{format:?}");
        }
        let file = webp(16, 8, &[damaged, first()], 0);
        assert_error!(render(&file, &to(Format::WebP)), MediaError::Malformed(_));
    }
}

#[test]
fn animated_png_has_its_first_frame() {
    let file = files::animated_png(3);
    for format in [Format::Gif, Format::WebP, Format::Png] {
        let found = render(&file, &to(format)).unwrap();
        assert_eq!(
            probe(&found.bytes).unwrap().frames,
            media::probe::Frames::Still
        );
    }
}
