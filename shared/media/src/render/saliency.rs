//! Step 3: select the part that is kept, by gravity or saliency: edges, saturated colors and skin
//! tones attract attention.

use domain::{
    naming::{ImageSize, proportional},
    renditions::Focus,
};
use fast_image_resize::FilterType;

use crate::{
    color::rgba,
    error::MediaError,
    pixels::{MAP_SIDE, Pixels},
};

use super::{
    color::to_rgb,
    frame::{Frame, Picture},
    geometry::{Geometry, fitted},
    resize::merged,
};
use crate::pixels::Rectangle;

/// Saliency of every pixel, so that empty images have a defined result.
const BASE: u64 = 1;
/// Weight of an edge against a saturated color.
const EDGE_WEIGHT: u64 = 4;
/// Saliency of a skin tone.
const SKIN: u64 = 192;

/// Returns the geometry with the part of the resized image that is kept.
pub(super) fn select(
    frame: &Frame,
    geometry: &Geometry,
    focus: Option<Focus>,
) -> Result<Geometry, MediaError> {
    let mut geometry = *geometry;
    if focus == Some(Focus::Auto) {
        geometry.crop = salient_crop(frame, &geometry)?;
    }
    Ok(geometry)
}

/// Returns the crop rectangle of the geometry's size with the highest saliency; of several, the one
/// closest to the center.
fn salient_crop(frame: &Frame, geometry: &Geometry) -> Result<Rectangle, MediaError> {
    let limits = ImageSize::new(MAP_SIDE, MAP_SIDE);
    let size = fitted(geometry.resized, limits);
    let small = to_rgb(Picture {
        pixels: merged(frame, |whole| whole, size, FilterType::Bilinear)?,
        model: frame.model,
    });
    let sums = Sums::of(&small.pixels);

    let crop = geometry.crop;
    let across = Axis::new(geometry.resized.width, crop.width, size.width);
    let down = Axis::new(geometry.resized.height, crop.height, size.height);
    let mut best = crop;
    let mut best_rank = None;
    for left in across.offsets() {
        for top in down.offsets() {
            let saliency = sums.within(across.window(left), down.window(top));
            let distance = left.abs_diff(crop.left) + top.abs_diff(crop.top);
            let rank = Some((saliency, std::cmp::Reverse(distance)));
            if rank > best_rank {
                best_rank = rank;
                best = Rectangle { left, top, ..crop };
            }
        }
    }
    Ok(best)
}

/// Positions of a crop rectangle along a side.
struct Axis {
    /// Length of the resized image.
    full: u32,
    /// Length of the crop rectangle.
    kept: u32,
    /// Length of the map.
    map: u32,
}

/// Pixels of the map.
#[derive(Clone, Copy)]
struct Window {
    start: usize,
    end: usize,
}

impl Axis {
    fn new(full: u32, kept: u32, map: u32) -> Axis {
        Axis { full, kept, map }
    }

    /// Returns the offsets to compare, in pixels of the resized image: one per pixel of the map.
    fn offsets(&self) -> impl Iterator<Item = u32> {
        let free = u64::from(self.full - self.kept);
        let steps = free.min(self.map.into()).max(1);
        let last = if free == 0 { 0 } else { steps };
        (0..=last).map(move |step| u32::try_from(free * step / steps).unwrap_or(0))
    }

    /// Returns the part of the map that a crop at this offset covers.
    fn window(&self, offset: u32) -> Window {
        let length = proportional(self.kept, self.map, self.full);
        let start = u64::from(offset) * u64::from(self.map) / u64::from(self.full);
        let start = u32::try_from(start).unwrap_or(0).min(self.map - length);
        Window {
            start: start as usize,
            end: (start + length) as usize,
        }
    }
}

/// Sums of saliency over all rectangles from the top left.
struct Sums {
    stride: usize,
    sums: Vec<u64>,
}

impl Sums {
    fn of(pixels: &Pixels) -> Sums {
        let width = pixels.width as usize;
        let height = pixels.height as usize;
        let map = Map::new(pixels);
        let stride = width + 1;
        let mut sums = vec![0; stride * (height + 1)];

        for y in 0..height {
            let mut row = 0;
            for x in 0..width {
                row += map.saliency(x, y);
                sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + row;
            }
        }
        Sums { stride, sums }
    }

    fn within(&self, across: Window, down: Window) -> u64 {
        let at = |x: usize, y: usize| self.sums[y * self.stride + x];
        at(across.end, down.end) + at(across.start, down.start)
            - at(across.start, down.end)
            - at(across.end, down.start)
    }
}

/// Colors of a small image.
struct Map {
    width: usize,
    height: usize,
    colors: Vec<[u8; 4]>,
}

impl Map {
    fn new(pixels: &Pixels) -> Map {
        let samples = pixels.samples.chunks_exact(pixels.channels.count());
        Map {
            width: pixels.width as usize,
            height: pixels.height as usize,
            colors: samples.map(rgba).collect(),
        }
    }

    /// Returns the saliency of a pixel, weighted by its alpha channel.
    fn saliency(&self, x: usize, y: usize) -> u64 {
        let color = self.colors[y * self.width + x];
        let skin = if is_skin(color) { SKIN } else { 0 };
        let seen = EDGE_WEIGHT * self.edge(x, y) + saturation(color) + skin;
        BASE + seen * u64::from(color[3])
    }

    /// Returns the difference of luma to the four neighbors.
    fn edge(&self, x: usize, y: usize) -> u64 {
        let luma = |x: usize, y: usize| luma(self.colors[y * self.width + x]);
        let neighbors = luma(x.saturating_sub(1), y)
            + luma((x + 1).min(self.width - 1), y)
            + luma(x, y.saturating_sub(1))
            + luma(x, (y + 1).min(self.height - 1));
        neighbors.abs_diff(4 * luma(x, y)) / 4
    }
}

/// Returns the luma of a color on black, 0 to 255.
fn luma([red, green, blue, alpha]: [u8; 4]) -> u64 {
    let weighted = 77 * u64::from(red) + 150 * u64::from(green) + 29 * u64::from(blue);
    weighted * u64::from(alpha) / (256 * 255)
}

/// Returns the saturation of a color as the difference of its largest and smallest sample, 0 to
/// 255.
fn saturation([red, green, blue, _]: [u8; 4]) -> u64 {
    let brightest = red.max(green).max(blue);
    let darkest = red.min(green).min(blue);
    u64::from(brightest - darkest)
}

/// Whether a color is like that of human skin, by its hue and saturation.
fn is_skin([red, green, blue, _]: [u8; 4]) -> bool {
    let [red, green, blue] = [red, green, blue].map(u16::from);
    let is_reddish = red > 80 && red > green && green > blue;
    let spread = red - blue.min(red);
    is_reddish
        && spread * 5 > red
        && spread * 10 < red * 7
        && (green - blue.min(green)) * 4 < red * 3
}
