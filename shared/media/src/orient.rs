//! Orientation: how stored pixels are turned to be seen, and turning them.

use crate::pixels::Pixels;

/// How an image is turned and mirrored to be seen: EXIF's eight values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// 1: seen as it is stored.
    #[default]
    Normal = 1,
    /// 2: mirrored left to right.
    Mirrored = 2,
    /// 3: turned by half.
    HalfTurn = 3,
    /// 4: mirrored top to bottom.
    Flipped = 4,
    /// 5: mirrored along the diagonal from the top left.
    Transposed = 5,
    /// 6: turned by a quarter with the clock.
    QuarterTurn = 6,
    /// 7: mirrored along the diagonal from the top right.
    Transversed = 7,
    /// 8: turned by a quarter against the clock.
    QuarterTurnBack = 8,
}

impl Orientation {
    /// The orientation of an EXIF value, 1 to 8.
    pub fn of_exif(value: u32) -> Option<Orientation> {
        ALL.into_iter()
            .find(|orientation| orientation.to_exif() == value)
    }

    /// Its EXIF value, 1 to 8.
    pub fn to_exif(self) -> u32 {
        self as u32
    }

    /// Whether width and height change places.
    pub fn swaps_sides(self) -> bool {
        self.to_exif() >= 5
    }

    /// Of a turn against the clock by 0 to 3 quarters, and a mirroring after it.
    pub(crate) fn of_turns(turns: u8, mirror: Option<u8>) -> Orientation {
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

/// Side of the squares in which pixels change rows with columns, so that both stay in the
/// processor's cache.
const TILE: usize = 32;

/// The pixels as they are to be seen. Where the sides change places, and only there, a second copy
/// is held meanwhile.
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
        // A quarter turn is a mirroring along the diagonal, and one along a side.
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
    let (width, height) = (pixels.width as usize, pixels.height as usize);
    let mut samples = vec![0; pixels.samples.len()];
    for top in (0..height).step_by(TILE) {
        for left in (0..width).step_by(TILE) {
            for y in top..height.min(top + TILE) {
                for x in left..width.min(left + TILE) {
                    let (from, to) = ((y * width + x) * size, (x * height + y) * size);
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
