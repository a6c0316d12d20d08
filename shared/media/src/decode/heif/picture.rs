//! A decoded picture, whichever codec it was coded with.

/// Code point of what a stream or an item does not specify.
pub(super) const UNSPECIFIED: u16 = 2;

/// Which luma samples share a sample of the chroma planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chroma {
    /// There is no chroma: the picture is gray.
    None,
    /// Two by two (4:2:0).
    Half,
    /// Two of a row (4:2:2).
    HalfWide,
    /// None (4:4:4).
    Full,
}

/// Planes of luma, blue and red difference, or of green, blue and red. Their rows have no gaps.
pub(super) struct Picture {
    /// Length of the rows of each plane.
    pub(super) widths: [usize; 3],
    pub(super) planes: [Vec<u16>; 3],
    /// Bits of a sample: 8 to 12.
    pub(super) depth: u8,
    pub(super) chroma: Chroma,
    /// Whether a sample of halved chroma lies on the left luma samples, else between the columns.
    pub(super) is_left: bool,
    /// Whether it lies on the upper ones, else between the rows.
    pub(super) is_top: bool,
    /// Primaries and matrix of the stream, as ISO/IEC 23091-2 numbers them.
    pub(super) primaries: u16,
    pub(super) matrix: u16,
    pub(super) is_full_range: bool,
}

impl Picture {
    /// Returns the samples of a row in an area of a plane in full size.
    pub(super) fn row(&self, plane: usize, y: usize, left: u32, width: u32) -> &[u16] {
        let start = y * self.widths[plane] + left as usize;
        &self.planes[plane][start..start + width as usize]
    }
}
