//! What browsers show is shown: images that are damaged behind their pixels, or whose headers
//! announce something else.

use media::{
    completeness::require_complete,
    encode::encode,
    error::MediaError,
    format::Format,
    orient::Orientation,
    pixels::{Channels, Pixels},
    probe::{Frames, probe, probe_whole},
    render::render,
    strip::strip,
};

use crate::{
    animation_files::{BLUE, CLEAR, GREEN, RED, gif, patch},
    animation_viewer::shown,
    files::{self, assert_error, rendered, to},
};

/// Returns the color of a pixel of an RGB or RGBA image.
fn pixel(pixels: &Pixels, x: u32, y: u32) -> [u8; 4] {
    let count = pixels.channels.count();
    let start = (y * pixels.width + x) as usize * count;
    let color = &pixels.samples[start..start + count];
    [
        color[0],
        color[1],
        color[2],
        color.get(3).copied().unwrap_or(255),
    ]
}

/// Returns a GIF of 8 × 4 pixels in red, then green.
fn red_and_green() -> Vec<u8> {
    gif(
        8,
        4,
        &[patch(RED, [0, 0, 8, 4]), patch(GREEN, [0, 0, 8, 4])],
        None,
    )
}

/// Returns the offsets of the images of a GIF of one color each.
fn images(gif: &[u8]) -> Vec<usize> {
    let starts = gif.windows(5).enumerate();
    let is_image = |window: &[u8]| window[0] == 0x2C && window[1..] == [0; 4];
    starts
        .filter(|(_, window)| is_image(window))
        .map(|(at, _)| at)
        .collect()
}

/// Asserts that a file counts as complete, and that without its metadata it is shown alike.
#[track_caller]
fn assert_complete(file: &[u8]) {
    require_complete(file).unwrap();
    let stripped = strip(file, &probe_whole(file).unwrap()).unwrap();
    assert_eq!(
        rendered(&stripped, &to(Format::Png)).samples,
        rendered(file, &to(Format::Png)).samples
    );
}

#[test]
fn first_frame_of_a_gif_enlarges_its_screen_and_others_are_clipped() {
    let frames = [
        patch(RED, [1, 0, 8, 6]),
        patch(GREEN, [7, 4, 4, 4]),
        patch(BLUE, [40, 40, 2, 2]),
    ];
    for screen in [(4, 4), (0, 0)] {
        let file = gif(screen.0, screen.1, &frames, None);
        let shown = shown(&render(&file, &to(Format::Gif)).unwrap().bytes);

        assert_eq!(
            probe(&file).map(|probed| (probed.width, probed.height)),
            Ok((9, 6))
        );
        let first = rendered(&file, &to(Format::Png));
        assert_eq!([pixel(&first, 0, 0), pixel(&first, 8, 5)], [CLEAR, RED]);
        let colors = |frame: usize| {
            [
                shown.frames[frame].pixel(6, 5),
                shown.frames[frame].pixel(8, 5),
            ]
        };
        assert_eq!(
            [colors(0), colors(1), colors(2)],
            [[RED, RED], [RED, GREEN], [RED, GREEN]]
        );
        assert_complete(&file);
    }
}

#[test]
fn frame_with_more_pixels_than_the_canvas_ends_the_animation() {
    let frames = [patch(RED, [0, 0, 8, 4]), patch(GREEN, [0, 0, 9, 4])];
    let file = gif(8, 4, &frames, None);

    assert_eq!(
        shown(&render(&file, &to(Format::Gif)).unwrap().bytes)
            .frames
            .len(),
        1
    );
}

#[test]
fn gif_whose_data_ends_early_is_shown_as_far_as_it_goes() {
    let mut file = gif(8, 8, &[patch(RED, [0, 0, 8, 4])], None);
    let image = images(&file)[0];
    file[image + 7] = 8;

    let found = rendered(&file, &to(Format::Png));

    assert_eq!([pixel(&found, 7, 3), pixel(&found, 0, 4)], [RED, CLEAR]);
    assert_complete(&file);
}

#[test]
fn missing_pixels_of_a_gif_are_transparent_also_with_256_colors() {
    let palette: Vec<u8> = (0..=255).flat_map(|gray| [gray; 3]).collect();
    let mut encoder = gif::Encoder::new(Vec::new(), 8, 8, &palette).unwrap();
    let half = gif::Frame::from_indexed_pixels(8, 4, vec![9; 32], None);
    encoder.write_frame(&half).unwrap();
    let mut file = encoder.into_inner().unwrap();
    let image = images(&file)[0];
    file[image + 7] = 8;

    let found = rendered(&file, &to(Format::Png));

    assert_eq!(pixel(&found, 7, 3), [9, 9, 9, 255]);
    assert_eq!(pixel(&found, 0, 4)[3], 0);
}

#[test]
fn gif_is_animated_up_to_its_damaged_part() {
    let whole = red_and_green();
    let second = images(&whole)[1];
    let without_end = whole[..whole.len() - 1].to_vec();
    // The control extension of the second frame has eight bytes.
    let with_zeros = [&whole[..second - 8], &[0; 5], &whole[second - 8..]].concat();
    let mut cut = whole.clone();
    cut.truncate(second + 12);
    let unknown = [&whole[..second - 8], &[7; 20]].concat();

    for (name, file, frames) in [
        ("without its end", without_end, 2),
        ("zeros between blocks", with_zeros, 2),
        ("cut in the second frame", cut, 1),
        ("unknown bytes", unknown, 1),
    ] {
        let shown = shown(&render(&file, &to(Format::Gif)).unwrap().bytes);
        assert_eq!(shown.frames.len(), frames, "{name}");
        assert_complete(&file);
    }
}

#[test]
fn file_that_ends_in_its_first_image_is_truncated() {
    let gif = red_and_green();
    let png = files::file(Format::Png, 24, 16, Channels::Rgb);
    let webp = files::file(Format::WebP, 24, 16, Channels::Rgb);

    for (name, whole, length) in [
        ("GIF", &gif, images(&gif)[0] + 12),
        ("PNG", &png, png.len() - 20),
        ("WebP", &webp, webp.len() - 8),
    ] {
        let cut = &whole[..length];
        assert!(require_complete(cut).is_err(), "{name}");
        assert!(render(cut, &to(Format::Png)).is_err(), "{name}");
        assert!(
            probe(cut).is_ok_and(|probed| strip(cut, &probed).is_err()),
            "{name}"
        );
    }
}

#[test]
fn png_without_its_end_or_with_wrong_checksums_is_shown() {
    let whole = files::file(Format::Png, 24, 16, Channels::Rgb);
    let expected = files::pixels(&whole);
    let pixels_end = whole.len() - 12;
    let mut wrong = whole.clone();
    wrong[pixels_end - 1] ^= 1;

    for file in [
        &whole[..pixels_end],
        &whole[..pixels_end - 4],
        &whole[..whole.len() - 2],
        &wrong,
    ] {
        assert_eq!(rendered(file, &to(Format::Png)).samples, expected.samples);
        assert_complete(file);
    }
}

#[test]
fn png_that_ends_between_its_pixels_is_truncated() {
    let samples = vec![0; 64 * 65];
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut encoder, &samples).unwrap();
    let compressed = encoder.finish().unwrap();
    let whole = files::gray_png(64, 64, &compressed[..2_000]);
    let cut = &whole[..whole.len() - 12];

    assert_error!(strip(cut, &probe(cut).unwrap()), MediaError::Malformed(_));
}

#[test]
fn webp_that_announces_what_it_does_not_have_is_shown() {
    let still = files::file(Format::WebP, 24, 16, Channels::Rgb);
    let expected = files::pixels(&still);
    // Profile, alpha, EXIF data and XMP.
    for flags in [0x20, 0x10, 0x08, 0x04, 0x3C] {
        let file = files::webp(&[
            (*b"VP8X", &files::canvas(flags, 24, 16)),
            (*b"VP8 ", &still[20..]),
        ]);

        let found = rendered(&file, &to(Format::Png));

        assert_eq!(found.samples, expected.samples, "{flags:x}");
        assert!(!probe(&file).unwrap().has_alpha);
        assert_complete(&file);
    }
}

#[test]
fn webp_is_shown_whatever_is_cut_off_behind_its_pixels() {
    let still = files::file(Format::WebP, 24, 16, Channels::Rgb);
    let chunks: [([u8; 4], &[u8]); 3] = [
        (*b"VP8X", &files::canvas(4, 24, 16)),
        (*b"VP8 ", &still[20..]),
        (*b"XMP ", &[7; 90]),
    ];
    let whole = files::webp(&chunks);

    let found = rendered(&whole[..whole.len() - 50], &to(Format::Png));

    assert_eq!(found.samples, files::pixels(&still).samples);
    assert_complete(&whole[..whole.len() - 50]);
}

#[test]
fn webp_is_animated_up_to_its_damaged_part() {
    let whole = files::animated_webp(&[]);
    let second = whole
        .windows(4)
        .rposition(|window| window == b"ANMF")
        .unwrap();
    let cut = &whole[..second + 40];

    let shown = shown(&render(cut, &to(Format::WebP)).unwrap().bytes);

    assert_eq!(shown.frames.len(), 1);
    assert_complete(cut);
}

#[test]
fn exif_data_behind_the_frame_header_of_a_jpeg_counts() {
    let whole = files::file(Format::Jpeg, 24, 16, Channels::Rgb);
    let at = files::marker_at(&whole, 0xDA);
    let exif = [b"Exif\0\0", &files::exif(6)[..]].concat();
    let segment = files::with_segment(&whole[..2], 0xE1, &exif);
    let file = [&whole[..at], &segment[2..], &whole[at..]].concat();

    let probed = probe(&file).unwrap();

    assert_eq!(probed.orientation, Orientation::from_exif(6).unwrap());
    let found = rendered(&file, &to(Format::Png));
    assert_eq!((found.width, found.height), (16, 24));
    assert_eq!(probed.frames, Frames::Still);
}

#[test]
fn size_of_an_icon_is_that_of_its_image() {
    let picture = files::picture(300, 20, Channels::Rgba);
    let png = encode(picture.clone(), &files::plain(Format::Png)).unwrap();
    let size = u32::try_from(png.len()).unwrap().to_le_bytes();
    for (sides, size) in [
        ([0, 0], size),
        ([16, 16], [0; 4]),
        ([255, 1], [40, 0, 0, 0]),
    ] {
        let entry = [
            &sides[..],
            &[0, 0, 1, 0, 32, 0],
            &size,
            &22_u32.to_le_bytes(),
        ]
        .concat();
        let icon = [&[0, 0, 1, 0, 1, 0], &entry[..], &png].concat();

        assert_eq!(rendered(&icon, &to(Format::Png)).samples, picture.samples);
    }
}
