//! Properties of items of HEIF files: those of the `ipco` box that `ipma` associates with an item.

use std::ops::Range;

use domain::naming::ImageSize;

use crate::{
    bytes::{array, be16, be32, length},
    error::ProbeError,
    pixels::Rectangle,
};

use super::{super::Chunk, Meta, closed};

/// Maximum number of properties that are read.
const MAX_PROPERTIES: usize = 1_024;
/// Types of auxiliary images that contain alpha.
const ALPHA: [&[u8]; 2] = [
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0",
    b"urn:mpeg:hevc:2015:auxid:1\0",
];

/// Code points of colors (ISO/IEC 23091-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colors {
    pub(crate) primaries: u16,
    pub(crate) transfer: u16,
    pub(crate) matrix: u16,
    pub(crate) is_full_range: bool,
}

/// Properties of an item.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Properties<'a> {
    /// Dimensions of its pixels.
    pub(crate) size: Option<ImageSize>,
    /// The part that is shown, before it is turned.
    pub(crate) aperture: Option<Rectangle>,
    /// Counterclockwise quarter turns, 0 to 3.
    pub(crate) turns: u8,
    /// Mirroring after the rotation: 0 vertical, 1 horizontal.
    pub(crate) mirror: Option<u8>,
    /// Whether it is an auxiliary image that contains alpha.
    pub(crate) is_alpha: bool,
    pub(crate) colors: Option<Colors>,
    pub(crate) profile: Option<&'a [u8]>,
    /// Configuration of the HEVC decoder.
    pub(crate) hevc: Option<&'a [u8]>,
    /// The layer that is shown of a picture; `u16::MAX` selects the last one, like `None`.
    pub(crate) layer: Option<u16>,
    /// Which of the sets of layers of AV1 is decoded; all layers are in the first.
    pub(crate) operating_point: u8,
}

impl Properties<'_> {
    /// Returns the part that is shown; without pixels if there are no dimensions.
    pub(crate) fn shown(&self) -> Rectangle {
        let size = self.size.unwrap_or(ImageSize::new(0, 0));
        self.aperture.unwrap_or(Rectangle::whole(size))
    }
}

impl<'a> Meta<'a> {
    /// Reads the properties of an item; without any, all are absent. Fails if the file has no box
    /// of properties.
    pub(crate) fn properties(&self, item: u32) -> Result<Properties<'a>, ProbeError> {
        let range = self.child(*b"iprp")?;
        let boxes = self.boxes(range.ok_or(ProbeError::Malformed("no properties box"))?)?;
        let container = boxes.iter().find(|found| found.kind == *b"ipco");
        let container = container.ok_or(ProbeError::Malformed("no property container"))?;
        let known = self.boxes(container.data.clone())?;
        let mut found = Properties::default();

        for associations in boxes.iter().filter(|found| found.kind == *b"ipma") {
            for index in self.associated(associations.data.start, item)? {
                // Indices start at 1; 0 means none.
                let property = index.checked_sub(1).filter(|index| *index < MAX_PROPERTIES);
                if let Some(property) = property.and_then(|index| known.get(index)) {
                    self.apply(&mut found, property)?;
                }
            }
        }
        Ok(found)
    }

    /// Returns the 1-based indices of an item's properties in a box of associations (ISO/IEC
    /// 23008-12, 9.3.1).
    fn associated(&self, start: usize, item: u32) -> Result<Vec<usize>, ProbeError> {
        let [version, _, _, flags] = closed(array(self.content, start))?;
        // The high bit of an index marks essential properties.
        let (index_bytes, mask) = if flags & 1 == 1 {
            (2, 0x7FFF)
        } else {
            (1, 0x7F)
        };
        let mut reader = self.reader(start + 4);

        for _ in 0..reader.number(4)? {
            let id = reader.id(version >= 1)?;
            let count = reader.number(1)?;
            let indices = (0..count).map(|_| Ok(length(reader.number(index_bytes)? & mask)));
            let indices = indices.collect::<Result<Vec<usize>, ProbeError>>()?;
            if id == item {
                return Ok(indices);
            }
        }
        Ok(Vec::new())
    }

    /// Adds a property to those of an item.
    fn apply(&self, found: &mut Properties<'a>, property: &Chunk) -> Result<(), ProbeError> {
        let start = property.data.start;
        let content = &self.content[property.data.clone()];

        match &property.kind {
            b"ispe" => {
                let width = closed(be32(content, 4))?;
                found.size = Some(ImageSize::new(width, closed(be32(content, 8))?));
            }
            b"clap" => {
                let image = found.shown().size();
                found.aperture = closed(aperture(content, image))?;
            }
            b"irot" => {
                let turns = closed(array::<1>(content, 0))?[0] & 0x03;
                // A rotation after a mirroring is the opposite rotation before it.
                found.turns = if found.mirror.is_some() {
                    (4 - turns) & 0x03
                } else {
                    turns
                };
            }
            b"imir" => found.mirror = Some(closed(array::<1>(content, 0))?[0] & 0x01),
            b"auxC" => {
                let name = content.get(4..).unwrap_or_default();
                found.is_alpha = ALPHA.iter().any(|alpha| name.starts_with(alpha));
            }
            b"colr" => self.apply_colors(found, start..property.data.end)?,
            b"hvcC" => found.hevc = Some(content),
            b"lsel" => found.layer = Some(closed(be16(content, 0))?),
            b"a1op" => [found.operating_point] = closed(array(content, 0))?,
            _ => {}
        }

        Ok(())
    }

    /// Adds code points of colors or a color profile (ISO/IEC 14496-12, 12.1.5). An item may have
    /// both.
    fn apply_colors(
        &self,
        found: &mut Properties<'a>,
        range: Range<usize>,
    ) -> Result<(), ProbeError> {
        let content = &self.content[range];

        match &closed(array::<4>(content, 0))? {
            b"nclx" => {
                let number = |at| closed(be16(content, at));
                found.colors = Some(Colors {
                    primaries: number(4)?,
                    transfer: number(6)?,
                    matrix: number(8)?,
                    is_full_range: closed(array::<1>(content, 10))?[0] & 0x80 != 0,
                });
            }
            b"prof" | b"rICC" => found.profile = content.get(4..),
            _ => {}
        }

        Ok(())
    }
}

/// Reads a clean aperture, whose width, height and distances of its center from that of the image
/// are fractions (ISO/IEC 14496-12, 12.1.4). Rounds width and height, and the distances from the
/// left and the top down. Returns `None` for one that is empty or larger than the image; one that
/// exceeds it is moved inside.
fn aperture(content: &[u8], image: ImageSize) -> Result<Option<Rectangle>, ProbeError> {
    let span = |at: usize, side: u32| {
        let number = |index: usize| be32(content, at + index * 4);
        let length = (i128::from(number(0)?), i128::from(number(1)?));
        let offset = (number(4)?.cast_signed(), i128::from(number(5)?));
        Ok::<_, ProbeError>(span_of(side, length, (offset.0.into(), offset.1)))
    };

    let (horizontal, vertical) = (span(0, image.width)?, span(8, image.height)?);
    Ok(horizontal
        .zip(vertical)
        .map(|(horizontal, vertical)| Rectangle {
            left: horizontal.0,
            top: vertical.0,
            width: horizontal.1,
            height: vertical.1,
        }))
}

/// Returns start and length on a side of a fraction that is centered up to an offset, also a
/// fraction. Numerators have up to 32 bits and denominators are not negative, so no product
/// overflows.
fn span_of(side: u32, length: (i128, i128), offset: (i128, i128)) -> Option<(u32, u32)> {
    let rounded = (length.0 + length.1 / 2).checked_div(length.1)?;
    let rounded = u32::try_from(rounded).ok()?;
    if !(1..=side).contains(&rounded) {
        return None;
    }

    let (shift, unit) = match offset {
        (_, 0) => (0, 1),
        offset => offset,
    };
    // offset + (side − length) / 2, over the common denominator.
    let above = 2 * shift * length.1 + unit * (i128::from(side) * length.1 - length.0);
    let start = above.div_euclid(2 * unit * length.1);
    let start = start.clamp(0, i128::from(side - rounded));
    Some((u32::try_from(start).ok()?, rounded))
}
