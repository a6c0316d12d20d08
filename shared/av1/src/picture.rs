//! A decoded picture.

/// Samples of the chroma planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chroma {
    /// None: the picture is gray.
    None,
    /// One for two by two pixels (4:2:0).
    Half,
    /// One for two pixels of a row (4:2:2).
    HalfWide,
    /// One for each pixel (4:4:4).
    Full,
}

/// Position of the chroma samples of [`Chroma::Half`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChromaPosition {
    Unknown,
    /// Beside the left luma samples, between two rows.
    Left,
    /// At the top left luma sample.
    TopLeft,
}

/// A decoded picture, with its film grain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    /// 8, 10 or 12.
    pub bit_depth: u8,
    pub chroma: Chroma,
    pub chroma_position: ChromaPosition,
    /// Color primaries as ITU-T H.273 numbers them, 2 if unspecified.
    pub primaries: u8,
    /// Transfer characteristics, likewise.
    pub transfer: u8,
    /// Matrix coefficients, likewise.
    pub matrix: u8,
    pub is_full_range: bool,
    /// Luma, blue difference and red difference, their rows without gaps. No sample has more bits
    /// than `bit_depth`.
    pub planes: [Vec<u16>; 3],
}

/// Size of a plane, in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneSize {
    pub width: usize,
    pub height: usize,
}

impl Picture {
    /// Returns the sizes of the planes. Those of chroma are rounded up.
    pub fn plane_sizes(&self) -> [PlaneSize; 3] {
        let width = self.width as usize;
        let height = self.height as usize;
        let (chroma_width, chroma_height) = match self.chroma {
            Chroma::None => (0, 0),
            Chroma::Half => (width.div_ceil(2), height.div_ceil(2)),
            Chroma::HalfWide => (width.div_ceil(2), height),
            Chroma::Full => (width, height),
        };

        let chroma = PlaneSize {
            width: chroma_width,
            height: chroma_height,
        };
        [PlaneSize { width, height }, chroma, chroma]
    }

    /// Returns the bytes of a sample between the processes.
    pub(crate) fn sample_bytes(&self) -> usize {
        if self.bit_depth == 8 { 1 } else { 2 }
    }
}
