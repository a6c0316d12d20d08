//! Conversion of decoded planes to 8 bits of red, green, blue and alpha (ISO/IEC 23091-2, table 4).
//!
//! Invariant: chroma outside of the shown part is not read, because encoders pad it with anything.

use heifer_hevc_dec::recon::Frame;

use crate::{Format, MediaError, Rectangle, container::heif::Colors};

/// Maximum number of bits of a sample.
const MAX_DEPTH: u8 = 12;
/// Fractional bits of the factors.
const FRACTION_BITS: u32 = 20;
/// Upsampled chroma is a sum of eight samples.
const CHROMA_BITS: u32 = 3;
/// 1/2 with fractional bits.
const HALF: i32 = 1 << (FRACTION_BITS - 1);

/// Code points of matrices: none, and unspecified, which is that of BT.601.
const IDENTITY: u16 = 0;
const UNSPECIFIED: u16 = 2;

/// Converter of the samples of a picture.
pub(super) struct YccConverter {
    luma: i32,
    offset: i32,
    /// Chroma of gray, upsampled.
    middle: i32,
    /// Factors of both differences for red, green and blue; `None` if the planes are green, blue and red.
    chroma: Option<[[i32; 2]; 3]>,
    /// Whether chroma has half the width, and half the height.
    is_half_wide: bool,
    is_half_high: bool,
}

impl YccConverter {
    /// Creates the converter of a picture, whose own code points count if its item has none. Fails if the colors or depths are not
    /// supported.
    pub(super) fn new(frame: &Frame, colors: Option<Colors>) -> Result<YccConverter, MediaError> {
        let unsupported = MediaError::UnsupportedFormat(Format::Heic);
        let [depth, chroma_depth] = frame.bit_depth;
        let has_chroma = frame.chroma_format != 0;
        if depth > MAX_DEPTH || (has_chroma && depth != chroma_depth) || depth < 8 {
            return Err(unsupported);
        }
        let (matrix, is_full) = match colors {
            Some(colors) => (colors.matrix, colors.is_full_range),
            None => (frame.matrix_coeffs.into(), frame.full_range),
        };

        let unit = 1 << (depth - 8);
        let (black, luma_range, chroma_range) = if is_full {
            let max = 256 * unit - 1;
            (0, max, max)
        } else {
            (16 * unit, 219 * unit, 224 * unit)
        };
        let is_coded = has_chroma && matrix != IDENTITY;
        if has_chroma && !is_coded && frame.chroma_format != 3 {
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
            is_half_wide: matches!(frame.chroma_format, 1 | 2),
            is_half_high: frame.chroma_format == 1,
        })
    }

    /// Writes a row of an area as gray, as colors, or as colors with alpha, whose alpha stays.
    pub(super) fn write_colors(
        &self,
        frame: &Frame,
        area: Rectangle,
        row: usize,
        samples: &mut [u8],
        channels: usize,
    ) {
        let y = area.top as usize + row;
        let lumas = plane_row(frame, 0, y, area);
        let targets = samples.chunks_exact_mut(channels);
        if channels == 1 || frame.chroma_format == 0 {
            for (target, luma) in targets.zip(lumas) {
                let gray = self.gray(*luma);
                let colors = target.len().min(3);
                target[..colors].fill(gray);
            }
            return;
        }
        let Some(factors) = self.chroma else {
            let blues = plane_row(frame, 1, y, area);
            let reds = plane_row(frame, 2, y, area);
            for (((target, green), blue), red) in targets.zip(lumas).zip(blues).zip(reds) {
                target[..3].copy_from_slice(&[*red, *green, *blue].map(|value| self.gray(value)));
            }
            return;
        };

        let blues = self.chroma_row(frame, 1, y, area);
        let reds = self.chroma_row(frame, 2, y, area);
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
        frame: &Frame,
        area: Rectangle,
        row: usize,
        samples: &mut [u8],
    ) {
        let lumas = plane_row(frame, 0, area.top as usize + row, area);
        for (target, luma) in samples.as_chunks_mut::<4>().0.iter_mut().zip(lumas) {
            target[3] = self.gray(*luma);
        }
    }

    fn gray(&self, luma: u16) -> u8 {
        sample(i32::from(luma) * self.luma + self.offset)
    }

    /// Returns the differences of a row, eightfold and relative to gray. Chroma of half the width lies on the even columns, and chroma of
    /// half the height between two rows (ITU-T H.265, figure E.1, type 0).
    fn chroma_row(&self, frame: &Frame, plane: usize, y: usize, area: Rectangle) -> Vec<i32> {
        let width = frame.widths[plane] as usize;
        let row = |y: usize| &frame.planes[plane][y * width..(y + 1) * width];
        let (nearest, other) = if self.is_half_high {
            let first = area.top as usize / 2;
            let last = (area.top + area.height - 1) as usize / 2;
            let nearest = y / 2;
            let other = if y.is_multiple_of(2) {
                nearest.saturating_sub(1).max(first)
            } else {
                (nearest + 1).min(last)
            };
            (row(nearest), row(other))
        } else {
            (row(y), row(y))
        };
        let column = |x: usize| 3 * i32::from(nearest[x]) + i32::from(other[x]) - self.middle / 2;

        let left = area.left as usize;
        let right = left + area.width as usize;
        if !self.is_half_wide {
            return (left..right).map(|x| 2 * column(x)).collect();
        }
        let last = (right - 1) / 2;
        let columns = (left..right).map(|x| {
            let next = (x / 2 + x % 2).min(last);
            column(x / 2) + column(next)
        });
        columns.collect()
    }
}

/// Returns the samples of a row in an area of a plane in full size.
fn plane_row(frame: &Frame, plane: usize, y: usize, area: Rectangle) -> &[u16] {
    let start = y * frame.widths[plane] as usize + area.left as usize;
    &frame.planes[plane][start..start + area.width as usize]
}

/// Returns the factors of the blue and the red difference for red, green and blue; `None` if the matrix is not supported.
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
