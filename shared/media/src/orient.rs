//! EXIF orientations and their application to pixels.

use crate::pixels::Pixels;

/// EXIF orientation: how stored pixels are rotated and mirrored for display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// 1: displayed as stored.
    #[default]
    Normal = 1,
    /// 2: mirrored horizontally.
    Mirrored = 2,
    /// 3: rotated by 180°.
    HalfTurn = 3,
    /// 4: mirrored vertically.
    Flipped = 4,
    /// 5: mirrored along the diagonal from the top left.
    Transposed = 5,
    /// 6: rotated clockwise by 90°.
    QuarterTurn = 6,
    /// 7: mirrored along the diagonal from the top right.
    Transversed = 7,
    /// 8: rotated counterclockwise by 90°.
    QuarterTurnBack = 8,
}

impl Orientation {
    /// Returns the orientation of an EXIF value from 1 to 8.
    pub fn from_exif(value: u32) -> Option<Orientation> {
        ALL.into_iter()
            .find(|orientation| orientation.to_exif() == value)
    }

    /// Returns the EXIF value, 1 to 8.
    pub fn to_exif(self) -> u32 {
        self as u32
    }

    /// Whether width and height are swapped for display.
    pub fn swaps_sides(self) -> bool {
        self.to_exif() >= 5
    }

    /// Returns the orientation of 0 to 3 counterclockwise quarter turns followed by a mirroring, as
    /// in HEIF.
    pub(crate) fn from_heif(turns: u8, mirror: Option<u8>) -> Orientation {
        match (turns, mirror) {
            (1, None) => Orientation::QuarterTurnBack,
            (2, None) => Orientation::HalfTurn,
            (3, None) => Orientation::QuarterTurn,
            (1, Some(0)) | (3, Some(1)) => Orientation::Transposed,
            (1 | 3, Some(_)) => Orientation::Transversed,
            (2, Some(0)) | (0, Some(1)) => Orientation::Mirrored,
            (2 | 0, Some(_)) => Orientation::Flipped,
            _ => Orientation::Normal,
        }
    }
}

const ALL: [Orientation; 8] = [
    Orientation::Normal,
    Orientation::Mirrored,
    Orientation::HalfTurn,
    Orientation::Flipped,
    Orientation::Transposed,
    Orientation::QuarterTurn,
    Orientation::Transversed,
    Orientation::QuarterTurnBack,
];

/// Side of the tiles in which pixels are transposed, in pixels, so that rows and columns stay in
/// the CPU cache.
const TILE: usize = 32;

/// Applies an orientation. Needs a second copy of the pixels only if width and height are swapped.
pub fn orient(mut pixels: Pixels, orientation: Orientation) -> Pixels {
    let size = pixels.channels.count();
    let row = pixels.width as usize * size;

    match orientation {
        Orientation::Normal => {}
        Orientation::Mirrored => mirror(&mut pixels.samples, row, size),
        Orientation::Flipped => flip(&mut pixels.samples, row),
        Orientation::HalfTurn => {
            mirror(&mut pixels.samples, row, size);
            flip(&mut pixels.samples, row);
        }
        // A quarter turn is a transposition followed by a mirroring.
        Orientation::Transposed => pixels = transpose(pixels),
        Orientation::QuarterTurn => return orient(transpose(pixels), Orientation::Mirrored),
        Orientation::QuarterTurnBack => return orient(transpose(pixels), Orientation::Flipped),
        Orientation::Transversed => return orient(transpose(pixels), Orientation::HalfTurn),
    }

    pixels
}

fn mirror(samples: &mut [u8], row: usize, size: usize) {
    for row in samples.chunks_exact_mut(row) {
        let count = row.len() / size;
        for left in 0..count / 2 {
            let right = count - 1 - left;
            for channel in 0..size {
                row.swap(left * size + channel, right * size + channel);
            }
        }
    }
}

fn flip(samples: &mut [u8], row: usize) {
    let rows = samples.len() / row;
    let (top, bottom) = samples.split_at_mut(rows / 2 * row);
    for (upper, lower) in top.chunks_exact_mut(row).zip(bottom.rchunks_exact_mut(row)) {
        upper.swap_with_slice(lower);
    }
}

fn transpose(pixels: Pixels) -> Pixels {
    let size = pixels.channels.count();
    let width = pixels.width as usize;
    let height = pixels.height as usize;
    let mut samples = vec![0; pixels.samples.len()];

    for top in (0..height).step_by(TILE) {
        for left in (0..width).step_by(TILE) {
            for y in top..height.min(top + TILE) {
                for x in left..width.min(left + TILE) {
                    let from = (y * width + x) * size;
                    let to = (x * height + y) * size;
                    samples[to..to + size].copy_from_slice(&pixels.samples[from..from + size]);
                }
            }
        }
    }

    Pixels {
        width: pixels.height,
        height: pixels.width,
        samples,
        ..pixels
    }
}
