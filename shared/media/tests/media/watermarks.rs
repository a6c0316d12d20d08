//! Watermarks: they cover the same pixels of the image in every rendering, so that no set of
//! renderings shows the pixels beneath an opaque one.

use domain::{
    naming::ImageSize,
    renditions::{Focus, Resize, Sides},
    settings::Gravity,
};
use media::{
    format::Format,
    orient::{Orientation, orient},
    pixels::{Pixels, Rectangle},
    render::{Geometry, RenderOptions, WatermarkLayer, plan, render},
};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::{
    animation_files::RED,
    files::{self, both, crop, fill, marked, pixels, png, rendered, resized, solid, to},
};

/// A color of the images, without red.
pub(crate) const GROUND: [u8; 4] = [0, 90, 160, 255];
pub(crate) const SIZE: ImageSize = ImageSize::new(96, 72);
/// Random renderings of each mode that are combined.
const RENDERINGS: usize = 50;

/// Returns an opaque red square that is larger than a quarter of any image here.
pub(crate) fn red(gravity: Gravity) -> WatermarkLayer {
    WatermarkLayer::decode(&png(solid(RED, 165, 165)), gravity, 1.0).unwrap()
}

pub(crate) fn options(resize: Option<Resize>, watermark: &WatermarkLayer) -> RenderOptions<'_> {
    marked(resized(to(Format::Png), resize), watermark)
}

/// Returns the rectangle of the watermark in a rendering of the whole image.
fn marked_part(file: &[u8], watermark: &WatermarkLayer) -> Rectangle {
    let pixels = rendered(file, &options(None, watermark));
    let is_red = |index: &usize| {
        let start = index * pixels.channels.count();
        pixels.samples[start] > 200 && pixels.samples[start + 2] < 40
    };
    let marked = (0..(pixels.width * pixels.height) as usize).filter(is_red);
    let marked: Vec<u32> = marked.map(|index| u32::try_from(index).unwrap()).collect();

    let span = |side: &dyn Fn(u32) -> u32| {
        let values = || marked.iter().map(|index| side(*index));
        let first = values().min().unwrap();
        [first, values().max().unwrap() + 1 - first]
    };
    let [left, width] = span(&|index| index % pixels.width);
    let [top, height] = span(&|index| index / pixels.width);

    Rectangle {
        left,
        top,
        width,
        height,
    }
}

/// Paints noise over a part of an image.
pub(crate) fn paint(pixels: &mut Pixels, part: Rectangle) {
    let row = pixels.width;
    for y in 0..part.height {
        for x in 0..part.width {
            let noise = u8::try_from((x * 31 + y * 57) % 256).unwrap();
            let at = (part.top + y) * row + part.left + x;
            pixels.samples.as_chunks_mut::<4>().0[at as usize] = [noise, 255, 0, 255];
        }
    }
}

/// Returns random operations of one mode for an image of a size, always the same.
fn resizes(mode: usize, image: ImageSize, count: usize) -> Vec<Resize> {
    let side = |length: u32| prop_oneof![1..length, length / 2..length * 5 / 4];
    let gravity = prop::sample::select(&Gravity::ALL[..]);
    let strategy = (side(image.width), side(image.height), 0..3, gravity);
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);

    let resize = |(width, height, given, gravity): (u32, u32, i32, Gravity)| {
        let focus = Focus::At(gravity);
        let sides = match given {
            0 => Sides::Width(width),
            1 => Sides::Height(height),
            _ => both(width, height),
        };
        match mode {
            0 => Resize::Scale(sides),
            1 => Resize::Fit(sides),
            2 => fill(width, height, focus),
            _ => crop(sides, focus),
        }
    };

    let random = || strategy.new_tree(&mut runner).unwrap().current();
    std::iter::repeat_with(random)
        .take(count)
        .map(resize)
        .collect()
}

/// Adds the red of all pixels of a rendering that show a pixel of a part of the image.
fn map_back(shown: &Pixels, resize: Resize, part: Rectangle, reds: &mut [Vec<u8>]) {
    let at = |pixel: u32, [image, resized, start, length]: [u32; 4]| {
        let center = u64::from(2 * pixel + 1) * u64::from(resized) / u64::from(2 * image);
        let inside = u32::try_from(center).unwrap().checked_sub(start)?;
        (inside < length).then_some(inside)
    };

    let Geometry { resized, crop } = plan(SIZE, Some(resize)).unwrap();
    let across = [SIZE.width, resized.width, crop.left, shown.width];
    let down = [SIZE.height, resized.height, crop.top, shown.height];

    for (index, reds) in (0..).zip(reds) {
        let x = part.left + index % part.width;
        let y = part.top + index / part.width;
        if let (Some(x), Some(y)) = (at(x, across), at(y, down)) {
            let start = (y * shown.width + x) as usize * shown.channels.count();
            reds.push(shown.samples[start]);
        }
    }
}

#[test]
fn no_set_of_renderings_shows_a_pixel_beneath_the_watermark() {
    let ground = solid(GROUND, SIZE.width, SIZE.height);
    for gravity in Gravity::ALL {
        let watermark = red(gravity);
        let file = png(ground.clone());
        let part = marked_part(&file, &watermark);
        let mut painted = ground.clone();
        paint(&mut painted, part);
        let painted = png(painted);
        let mut reds = vec![Vec::new(); (part.width * part.height) as usize];

        for mode in 0..4 {
            for resize in resizes(mode, SIZE, RENDERINGS) {
                let options = options(Some(resize), &watermark);
                let shown = render(&file, &options).unwrap();

                assert!(
                    Ok(&shown) == render(&painted, &options).as_ref(),
                    "{gravity:?} {resize:?}"
                );
                let shown = pixels(&shown.bytes);
                map_back(&shown, resize, part, &mut reds);
            }
        }
        for reds in &mut reds {
            let middle = reds.len() / 2;
            let (_, median, _) = reds.select_nth_unstable(middle);
            // At its edges, reduced renderings mix it with the image, which has no red.
            assert!(*median > 100, "{gravity:?} {median}");
        }
    }
}

#[test]
fn pixels_of_a_shrunk_jpeg_are_covered() {
    // Decoded in full size and in a half, a quarter and an eighth, also with incomplete pixels.
    let size = ImageSize::new(643, 485);
    for (gravity, orientation) in Gravity::ALL.into_iter().zip((1..=8_u8).cycle()) {
        let watermark = red(gravity);
        let turned = Orientation::from_exif(orientation.into()).unwrap();
        let jpeg = |pixels| files::turned(pixels, orientation, &files::plain(Format::Jpeg));
        let file = jpeg(solid(GROUND, size.width, size.height));
        let part = marked_part(&file, &watermark);

        // Blocks of pixels influence their neighbors, in the file and in the decoder.
        let inner = Rectangle {
            left: part.left + 32,
            top: part.top + 32,
            width: part.width - 64,
            height: part.height - 64,
        };
        let displayed = orient(solid(GROUND, size.width, size.height), turned);
        let mut painted = displayed.clone();
        paint(&mut painted, inner);
        let painted = jpeg(orient(painted, inverse(turned)));

        let displayed = ImageSize::new(displayed.width, displayed.height);
        let fitted = [300, 200, 100, 60].map(|side| Resize::Fit(Sides::Width(side)));
        let random = (0..4).flat_map(|mode| resizes(mode, displayed, 3));
        for resize in fitted.into_iter().chain(random) {
            let options = options(Some(resize), &watermark);
            let shown = rendered(&file, &options);
            assert!(
                shown == rendered(&painted, &options),
                "{gravity:?} {resize:?}"
            );
        }
    }
}

fn inverse(orientation: Orientation) -> Orientation {
    match orientation {
        Orientation::QuarterTurn => Orientation::QuarterTurnBack,
        Orientation::QuarterTurnBack => Orientation::QuarterTurn,
        other => other,
    }
}
