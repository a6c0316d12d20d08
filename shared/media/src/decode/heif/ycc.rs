//! Conversion of decoded planes to 8 bits of red, green, blue and alpha (ISO/IEC 23091-2, table 4).
//!
//! Invariant: chroma outside of the shown part is not read, because encoders pad it with anything.

use crate::{container::heif::Colors, error::MediaError, format::Format, pixels::Rectangle};

use super::picture::{Chroma, Picture, UNSPECIFIED};

/// Fractional bits of the factors.
const FRACTION_BITS: u32 = 20;
/// Upsampled chroma is a sum of sixteen samples.
const CHROMA_BITS: u32 = 4;
/// 1/2 with fractional bits.
const HALF: i32 = 1 << (FRACTION_BITS - 1);

/// Code point of no matrix. That of BT.601 counts where none is specified.
const IDENTITY: u16 = 0;

/// Converter of the samples of a picture.
pub(super) struct YccConverter {
    luma: i32,
    offset: i32,
    /// Chroma of gray, upsampled.
    middle: i32,
    /// Factors of both differences for red, green and blue; `None` if the planes are green, blue
    /// and red.
    chroma: Option<[[i32; 2]; 3]>,
}

impl YccConverter {
    /// Creates the converter of a picture, whose own code points count if its item has none. Fails
    /// if the colors are not supported.
    pub(super) fn new(
        picture: &Picture,
        colors: Option<Colors>,
        format: Format,
    ) -> Result<YccConverter, MediaError> {
        let unsupported = MediaError::UnsupportedFormat(format);
        let (matrix, is_full) = match colors {
            Some(colors) => (colors.matrix, colors.is_full_range),
            None => (picture.matrix, picture.is_full_range),
        };

        let unit = 1 << (picture.depth - 8);
        let (black, luma_range, chroma_range) = if is_full {
            let max = 256 * unit - 1;
            (0, max, max)
        } else {
            (16 * unit, 219 * unit, 224 * unit)
        };
        let is_coded = picture.chroma != Chroma::None && matrix != IDENTITY;
        if !is_coded && matches!(picture.chroma, Chroma::Half | Chroma::HalfWide) {
            return Err(unsupported);
        }
        let factors = if is_coded {
            Some(chroma_factors(matrix).ok_or(unsupported)?)
        } else {
            None
        };

        let luma = fixed(255.0 / f64::from(luma_range), FRACTION_BITS);
        let chroma_unit = 255.0 / f64::from(chroma_range);
        let scaled = |factor: f64| fixed(factor * chroma_unit, FRACTION_BITS - CHROMA_BITS);
        Ok(YccConverter {
            luma,
            offset: HALF - black * luma,
            middle: (128 * unit) << CHROMA_BITS,
            chroma: factors.map(|factors| factors.map(|factors| factors.map(scaled))),
        })
    }

    /// Writes a row of an area as gray, as colors, or as colors with alpha, whose alpha stays.
    pub(super) fn write_colors(
        &self,
        picture: &Picture,
        area: Rectangle,
        row: usize,
        samples: &mut [u8],
        channels: usize,
    ) {
        let y = area.top as usize + row;
        let lumas = picture.row(0, y, area.left, area.width);
        let targets = samples.chunks_exact_mut(channels);
        if channels == 1 || picture.chroma == Chroma::None {
            for (target, luma) in targets.zip(lumas) {
                let gray = self.gray(*luma);
                let colors = target.len().min(3);
                target[..colors].fill(gray);
            }
            return;
        }
        let Some(factors) = self.chroma else {
            let blues = picture.row(1, y, area.left, area.width);
            let reds = picture.row(2, y, area.left, area.width);
            for (((target, green), blue), red) in targets.zip(lumas).zip(blues).zip(reds) {
                target[..3].copy_from_slice(&[*red, *green, *blue].map(|value| self.gray(value)));
            }
            return;
        };

        let blues = self.chroma_row(picture, 1, y, area);
        let reds = self.chroma_row(picture, 2, y, area);
        for (((target, luma), blue), red) in targets.zip(lumas).zip(blues).zip(reds) {
            let luma = i32::from(*luma) * self.luma + self.offset;
            let color =
                factors.map(|[of_blue, of_red]| sample(luma + blue * of_blue + red * of_red));
            target[..3].copy_from_slice(&color);
        }
    }

    /// Writes a row of an area as the alpha of pixels with four channels.
    pub(super) fn write_alpha(
        &self,
        picture: &Picture,
        area: Rectangle,
        row: usize,
        samples: &mut [u8],
    ) {
        let lumas = picture.row(0, area.top as usize + row, area.left, area.width);
        for (target, luma) in samples.as_chunks_mut::<4>().0.iter_mut().zip(lumas) {
            target[3] = self.gray(*luma);
        }
    }

    fn gray(&self, luma: u16) -> u8 {
        sample(i32::from(luma) * self.luma + self.offset)
    }

    /// Returns the differences of a row, sixteenfold and relative to gray: those at the positions
    /// of chroma, interpolated.
    fn chroma_row(&self, picture: &Picture, plane: usize, y: usize, area: Rectangle) -> Vec<i32> {
        let width = picture.widths[plane];
        let row = |y: usize| &picture.planes[plane][y * width..(y + 1) * width];
        let is_half_high = picture.chroma == Chroma::Half;
        let above = if is_half_high {
            Neighbors::of(y, area.top, area.height, picture.is_top)
        } else {
            Neighbors::at(y)
        };
        let (nearest, other) = (row(above.nearest), row(above.other));
        let column = |x: usize| above.mix(nearest[x].into(), other[x].into()) - self.middle / 4;

        let left = area.left as usize;
        let columns = left..left + area.width as usize;
        if picture.chroma == Chroma::Full {
            return columns.map(|x| 4 * column(x)).collect();
        }
        let columns = columns.map(|x| {
            let beside = Neighbors::of(x, area.left, area.width, picture.is_left);
            beside.mix(column(beside.nearest), column(beside.other))
        });
        columns.collect()
    }
}

/// The samples of halved chroma that a row or column lies between.
struct Neighbors {
    nearest: usize,
    other: usize,
    /// Quarters of the nearest one. The rest are of the other.
    quarters: i32,
}

impl Neighbors {
    /// Returns those of an index on a side, of which only a part is shown. Samples lie on even
    /// indices, or between an even and an odd one.
    fn of(index: usize, start: u32, length: u32, is_on_even: bool) -> Neighbors {
        let first = start as usize / 2;
        let last = (start + length - 1) as usize / 2;
        let nearest = index / 2;
        let is_even = index.is_multiple_of(2);

        let other = if is_even && !is_on_even {
            nearest.saturating_sub(1).max(first)
        } else {
            (nearest + 1).min(last)
        };

        let quarters = match (is_on_even, is_even) {
            (true, true) => 4,
            (true, false) => 2,
            (false, _) => 3,
        };

        Neighbors {
            nearest,
            other,
            quarters,
        }
    }

    /// Returns a sample that lies there.
    fn at(index: usize) -> Neighbors {
        Neighbors {
            nearest: index,
            other: index,
            quarters: 4,
        }
    }

    /// Returns the interpolated value, fourfold.
    fn mix(&self, nearest: i32, other: i32) -> i32 {
        self.quarters * nearest + (4 - self.quarters) * other
    }
}

/// Returns the factors of the blue and the red difference for red, green and blue; `None` if the
/// matrix is not supported.
fn chroma_factors(matrix: u16) -> Option<[[f64; 2]; 3]> {
    let (red, blue) = match matrix {
        1 => (0.2126, 0.0722),
        4 => (0.30, 0.11),
        UNSPECIFIED | 5 | 6 => (0.299, 0.114),
        7 => (0.212, 0.087),
        // Of green, and of orange (YCgCo).
        8 => return Some([[-1.0, 1.0], [1.0, 0.0], [-1.0, -1.0]]),
        9 => (0.2627, 0.0593),
        _ => return None,
    };

    let green = 1.0 - red - blue;
    Some([
        [0.0, 2.0 * (1.0 - red)],
        [
            -2.0 * blue * (1.0 - blue) / green,
            -2.0 * red * (1.0 - red) / green,
        ],
        [2.0 * (1.0 - blue), 0.0],
    ])
}

/// Converts a factor below 1,024 to an integer with fractional bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "factors are small constants"
)]
fn fixed(factor: f64, bits: u32) -> i32 {
    (factor * f64::from(1 << bits)).round() as i32
}

/// Rounds a value with fractional bits, to which 1/2 was added.
fn sample(value: i32) -> u8 {
    u8::try_from((value >> FRACTION_BITS).clamp(0, 255)).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chroma_is_interpolated_at_its_position() {
        for (is_left, expected) in [(true, [100, 150, 200, 200]), (false, [100, 125, 175, 200])] {
            let picture = Picture {
                widths: [4, 2, 2],
                planes: [vec![128; 4], vec![100, 200], vec![128; 2]],
                depth: 8,
                chroma: Chroma::HalfWide,
                is_left,
                is_top: false,
                primaries: UNSPECIFIED,
                matrix: UNSPECIFIED,
                is_full_range: true,
            };
            let converter = YccConverter::new(&picture, None, Format::Avif).expect("a converter");
            let area = Rectangle {
                left: 0,
                top: 0,
                width: 4,
                height: 1,
            };

            let row = converter.chroma_row(&picture, 1, 0, area);

            let found: Vec<i32> = row.iter().map(|value| value / 16 + 128).collect();
            assert_eq!(found, expected, "{is_left}");
        }
    }
}
