//! Geometry of rendered images, compared pixel by pixel in a lossless format.

use domain::{
    naming::ImageSize,
    renditions::{Focus, Resize, Sides},
    settings::Gravity,
};
use media::{
    encode::EncodeOptions,
    error::MediaError,
    format::Format,
    pixels::{Channels, Pixels, Rectangle},
    render::{Geometry, plan, render},
};

use crate::files::{self, assert_error, both, resized, to};

const fn fill(width: u32, height: u32, gravity: Gravity) -> Resize {
    files::fill(width, height, Focus::At(gravity))
}

const fn crop(sides: Sides, gravity: Gravity) -> Resize {
    files::crop(sides, Focus::At(gravity))
}

/// Returns the pixels of an image that is rendered as PNG.
fn rendered(file: &[u8], resize: Option<Resize>) -> Pixels {
    files::rendered(file, &resized(to(Format::Png), resize))
}

/// Returns an image whose pixels all differ.
fn numbered(width: u32, height: u32) -> Pixels {
    files::painted(width, height, |x, y| {
        let [_, red, green, blue] = ((y * width + x) * 97).to_be_bytes();
        [red, green, blue]
    })
}

fn part(pixels: &Pixels, rectangle: Rectangle) -> Vec<u8> {
    let count = pixels.channels.count();
    let row = pixels.width as usize * count;
    let start = rectangle.left as usize * count;
    let length = rectangle.width as usize * count;
    pixels
        .samples
        .chunks_exact(row)
        .skip(rectangle.top as usize)
        .take(rectangle.height as usize)
        .flat_map(|row| row[start..start + length].to_vec())
        .collect()
}

/// Image, operation, resized image, and the crop rectangle as left, top, width and height.
type Row = ((u32, u32), Option<Resize>, (u32, u32), [u32; 4]);

#[rustfmt::skip]
const TABLE: [Row; 27] = [
    ((400, 300), None, (400, 300), [0, 0, 400, 300]),
    ((400, 300), Some(Resize::Scale(both(50, 60))), (50, 60), [0, 0, 50, 60]),
    ((400, 300), Some(Resize::Scale(Sides::Width(800))), (800, 600), [0, 0, 800, 600]),
    ((400, 300), Some(Resize::Scale(Sides::Height(1))), (1, 1), [0, 0, 1, 1]),
    ((3, 2), Some(Resize::Scale(Sides::Width(5))), (5, 3), [0, 0, 5, 3]),
    ((1000, 1), Some(Resize::Scale(Sides::Width(10))), (10, 1), [0, 0, 10, 1]),
    ((400, 300), Some(Resize::Fit(both(200, 200))), (200, 150), [0, 0, 200, 150]),
    ((300, 400), Some(Resize::Fit(both(200, 200))), (150, 200), [0, 0, 150, 200]),
    ((400, 300), Some(Resize::Fit(both(4000, 150))), (200, 150), [0, 0, 200, 150]),
    ((400, 300), Some(Resize::Fit(Sides::Width(800))), (400, 300), [0, 0, 400, 300]),
    ((400, 300), Some(Resize::Fit(Sides::Height(101))), (135, 101), [0, 0, 135, 101]),
    ((4000, 3), Some(Resize::Fit(both(100, 100))), (100, 1), [0, 0, 100, 1]),
    ((400, 300), Some(fill(100, 100, Gravity::Center)), (133, 100), [17, 0, 100, 100]),
    ((400, 300), Some(fill(100, 100, Gravity::West)), (133, 100), [0, 0, 100, 100]),
    ((400, 300), Some(fill(100, 100, Gravity::Southeast)), (133, 100), [33, 0, 100, 100]),
    ((300, 400), Some(fill(100, 100, Gravity::Center)), (100, 133), [0, 17, 100, 100]),
    ((300, 400), Some(fill(100, 100, Gravity::South)), (100, 133), [0, 33, 100, 100]),
    ((400, 300), Some(fill(400, 300, Gravity::East)), (400, 300), [0, 0, 400, 300]),
    ((400, 300), Some(fill(500, 500, Gravity::Center)), (400, 300), [50, 0, 300, 300]),
    ((400, 300), Some(fill(800, 200, Gravity::North)), (400, 300), [0, 0, 400, 100]),
    ((400, 300), Some(fill(10, 8000, Gravity::East)), (400, 300), [399, 0, 1, 300]),
    ((4000, 3000), Some(fill(320, 320, Gravity::Center)), (427, 320), [54, 0, 320, 320]),
    ((400, 300), Some(crop(both(100, 90), Gravity::Center)), (400, 300), [150, 105, 100, 90]),
    ((401, 300), Some(crop(both(100, 90), Gravity::Center)), (401, 300), [151, 105, 100, 90]),
    ((400, 300), Some(crop(both(1000, 90), Gravity::Southeast)), (400, 300), [0, 210, 400, 90]),
    ((400, 300), Some(crop(Sides::Width(100), Gravity::Northwest)), (400, 300), [0, 0, 100, 300]),
    ((400, 300), Some(crop(Sides::Height(100), Gravity::South)), (400, 300), [0, 200, 400, 100]),
];

#[test]
fn plan_follows_table_of_modes() {
    for (image, resize, resized, [left, top, width, height]) in TABLE {
        let expected = Geometry {
            resized: ImageSize::new(resized.0, resized.1),
            crop: Rectangle {
                left,
                top,
                width,
                height,
            },
        };
        let found = plan(ImageSize::new(image.0, image.1), resize).unwrap();
        assert_eq!(found, expected, "{image:?} {resize:?}");
    }
}

#[test]
fn cropped_pixels_are_those_of_the_rectangle() {
    let picture = numbered(40, 30);
    let file = files::png(picture.clone());

    for gravity in Gravity::ALL {
        for resize in [
            crop(both(11, 7), gravity),
            crop(both(40, 7), gravity),
            crop(Sides::Width(9), gravity),
            // Too large for the image, so nothing is resized.
            fill(60, 60, gravity),
            fill(80, 20, gravity),
        ] {
            let geometry = plan(ImageSize::new(40, 30), Some(resize)).unwrap();
            let found = rendered(&file, Some(resize));

            assert!(
                found.samples == part(&picture, geometry.crop),
                "{resize:?} {geometry:?}"
            );
        }
    }
}

#[test]
fn filling_equals_resizing_and_cropping() {
    let file = files::png(numbered(400, 300));
    let whole = rendered(&file, Some(Resize::Scale(both(133, 100))));
    for gravity in Gravity::ALL {
        let resize = fill(100, 100, gravity);
        let geometry = plan(ImageSize::new(400, 300), Some(resize)).unwrap();
        let found = rendered(&file, Some(resize));
        let expected = part(&whole, geometry.crop);
        let most = files::largest_difference(&expected, &found.samples);
        assert!(most <= 1, "{gravity:?} {most}");
    }
}

/// A white image with black squares in its corners and a black line in its middle column.
fn marked(width: u32, height: u32) -> Pixels {
    let mark = width.min(height) / 10;
    let is_marked = |x: u32, y: u32| {
        let is_corner = (x < mark || x >= width - mark) && (y < mark || y >= height - mark);
        is_corner && (x < width / 2 || y < height / 2)
    };
    let gray = |x, y| if is_marked(x, y) { 0 } else { u8::MAX };
    files::painted(width, height, |x, y| [gray(x, y); 3])
}

#[test]
fn shrunk_jpegs_have_the_geometry_of_the_full_size() {
    // None of the sides is divisible by 8, so decoding leaves incomplete pixels.
    let picture = marked(1_003, 757);

    for orientation in 1..=8 {
        let with = |format| {
            files::turned(
                picture.clone(),
                orientation,
                &EncodeOptions::new(format, 100),
            )
        };
        let jpeg = with(Format::Jpeg);
        let png = with(Format::Png);

        for side in [60, 100, 150, 200, 300, 350] {
            for resize in [
                Resize::Fit(both(side, side)),
                fill(side, side, Gravity::Northwest),
                fill(side, side, Gravity::Southeast),
            ] {
                let expected = rendered(&png, Some(resize));
                let found = rendered(&jpeg, Some(resize));
                let difference: u64 = expected
                    .samples
                    .iter()
                    .zip(&found.samples)
                    .map(|(a, b)| u64::from(a.abs_diff(*b)))
                    .sum();
                let mean = difference / found.samples.len() as u64;
                let most = files::largest_difference(&expected.samples, &found.samples);

                assert_eq!(found.width, expected.width);
                // An edge that is shifted by half a pixel differs by 128.
                assert!(
                    mean <= 1 && most < 90,
                    "{orientation} {resize:?} {mean} {most}"
                );
            }
        }
    }
}

#[test]
fn output_over_pixel_limit_is_rejected_before_decoding() {
    let file = files::file(Format::Png, 24, 16, Channels::Rgb);
    for resize in [
        Resize::Scale(both(8192, 8192)),
        Resize::Scale(Sides::Width(8192)),
    ] {
        let result = render(&file, &resized(to(Format::Png), resize));
        assert_error!(result, MediaError::OutputTooLarge { .. });
    }
}
