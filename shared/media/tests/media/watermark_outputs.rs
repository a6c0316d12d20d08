//! Outputs with watermarks: cropped, animated, shared, in colors of a profile.

use domain::{
    renditions::{Focus, Resize, Sides},
    settings::Gravity,
};
use media::{
    encode::encode,
    format::Format,
    pixels::{Channels, Pixels, Rectangle},
    render::{RenderOptions, Source, WatermarkLayer},
};

use crate::{
    animation_files::{BLUE, FORMATS, GREEN, RED, gif, patch},
    animation_viewer::{self, assert_colors},
    files::{self, both, crop, fill, pixels, png, rendered, resized, solid, to},
    watermarks::{GROUND, SIZE, options, paint, red},
};

/// Renders a black image with a red watermark of half opacity in the southeast. Returns whether
/// there is one watermark, and one over the other.
fn levels(resize: Resize) -> [bool; 2] {
    let square = png(solid(RED, SIZE.width, SIZE.height));
    let half = WatermarkLayer::decode(&square, Gravity::Southeast, 0.5).unwrap();
    let file = png(solid([0, 0, 0, 255], SIZE.width, SIZE.height));
    let shown = rendered(&file, &options(Some(resize), &half));
    let reds = shown.samples.chunks_exact(shown.channels.count());
    let reds: Vec<u8> = reds.map(|pixel| pixel[0]).collect();
    [120..=136, 185..=200].map(|level| reds.iter().any(|red| level.contains(red)))
}

#[test]
fn watermark_is_repeated_unless_the_output_completely_shows_it() {
    let crop = |width, height, gravity| crop(both(width, height), Focus::At(gravity));
    // The watermark of 24 × 18 pixels is 1 pixel from the corner.
    for (resize, expected) in [
        (Resize::Fit(Sides::Width(60)), [true, false]),
        (crop(40, 40, Gravity::Southeast), [true, false]),
        (crop(25, 19, Gravity::Southeast), [true, false]),
        (crop(24, 19, Gravity::Southeast), [true, true]),
        (crop(25, 18, Gravity::Southeast), [true, true]),
        (crop(40, 40, Gravity::Northwest), [true, false]),
    ] {
        assert_eq!(levels(resize), expected, "{resize:?}");
    }
}

#[test]
fn every_frame_of_a_cropped_animation_shows_the_watermark() {
    let watermark = red(Gravity::Center);
    let patches = [
        patch(GREEN, [0, 0, 64, 64]),
        patch(BLUE, [0, 0, 64, 64]),
        patch(GREEN, [0, 0, 64, 64]),
    ];
    let file = gif(64, 64, &patches, None);
    let resize = crop(Sides::Width(32), Focus::At(Gravity::West));

    for format in FORMATS {
        let options = RenderOptions {
            format,
            ..options(Some(resize), &watermark)
        };

        // The left half of 16 × 16 pixels, and 8 × 8 pixels in the middle of the output.
        let reds = [(28, 26), (28, 38), (16, 32)].map(|(x, y)| (x, y, RED));
        let shown = |ground| [&reds[..], &[(16, 26, ground)]].concat();
        assert_colors(
            &animation_viewer::rendered(&file, &options),
            &[&shown(GREEN), &shown(BLUE), &shown(GREEN)],
            &format!("{format:?}"),
        );
    }
}

#[test]
fn automatic_crop_is_that_of_the_image_without_watermark() {
    let mut picture = solid(GROUND, SIZE.width, SIZE.height);
    let spot = Rectangle {
        left: 60,
        top: 10,
        width: 10,
        height: 10,
    };
    paint(&mut picture, spot);
    let file = png(picture);
    let watermark = red(Gravity::Southwest);
    let resize = fill(36, 72, Focus::Auto);
    let marked = rendered(&file, &options(Some(resize), &watermark));
    let unmarked = rendered(&file, &resized(to(Format::Png), resize));

    // The upper half, which the repeated watermark does not reach.
    let half = marked.samples.len() / 2;
    assert!(marked.samples[..half] == unmarked.samples[..half]);
    let channels = marked.channels.count();
    let mut lower = marked.samples[half..].chunks_exact(channels);
    assert!(lower.any(|pixel| pixel == &RED[..channels]));
}

#[test]
fn watermark_of_one_output_is_not_on_the_others() {
    let watermark = red(Gravity::Center);
    let resize = Some(Resize::Fit(Sides::Width(48)));
    let cut = crop(Sides::Width(45), Focus::At(Gravity::East));
    let marked = options(resize, &watermark);
    let unmarked = resized(to(Format::Png), resize);
    let outputs = [unmarked, marked, options(Some(cut), &watermark), unmarked];
    for channels in [Channels::Gray, Channels::Rgb, Channels::Rgba] {
        let file = files::file(Format::Png, SIZE.width, SIZE.height, channels);
        let source = Source::read(&file).unwrap();
        let planned: Vec<_> = outputs
            .iter()
            .map(media::render::PlanOptions::from)
            .collect();
        let plan = source.plan_shared(&planned).unwrap();
        let mut decoded = source.decode(&plan).unwrap();

        for options in &outputs {
            let shared = pixels(&decoded.render(options).unwrap().bytes);
            let single = rendered(&file, options);
            let colors = |pixels: &Pixels| -> Vec<u8> {
                let pixels = pixels.samples.chunks_exact(pixels.channels.count());
                pixels.map(|pixel| pixel[0]).collect()
            };
            assert!(colors(&shared) == colors(&single), "{channels:?}");
        }
    }
}

#[test]
fn watermark_keeps_its_colors_in_an_image_with_a_profile() {
    let p3 = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    let gray = moxcms::ColorProfile::new_gray_with_gamma(1.0);
    let gray = gray.encode().unwrap();
    let orange = png(solid([250, 130, 20, 255], 90, 90));
    let watermark = WatermarkLayer::decode(&orange, Gravity::Center, 1.0).unwrap();

    for (channels, profile) in [
        (Channels::Rgb, Some(p3)),
        (Channels::Gray, Some(gray)),
        (Channels::Rgb, Some(b"no profile".repeat(20))),
        (Channels::Gray, None),
    ] {
        for format in [Format::Png, Format::Jpeg] {
            let picture = Pixels {
                profile: profile.clone(),
                ..files::picture(480, 360, channels)
            };
            let file = encode(picture, &files::plain(format)).unwrap();
            for side in [480, 200, 60] {
                let resize = Resize::Fit(Sides::Width(side));
                let shown = rendered(&file, &options(Some(resize), &watermark));
                let middle = (shown.height / 2 * shown.width + shown.width / 2) as usize * 3;
                let color = &shown.samples[middle..middle + 3];
                let most = files::largest_difference(color, &[250, 130, 20]);
                assert!(most <= 6, "{channels:?} {format:?} {side} {color:?}");
            }
        }
    }
}
