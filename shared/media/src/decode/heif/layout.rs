//! The coded pictures of an image, from headers alone: one, or the tiles of a grid (ISO/IEC
//! 23008-12, 6.6.2.3).
//!
//! Invariants:
//! - All tiles have one size, and cover the image without one too many, so that a small image has
//!   few tiles.
//! - The pixels of all pictures, times the number of their slices or frames, are limited: each may
//!   be decoded over the whole picture.

use std::borrow::Cow;

use domain::naming::ImageSize;

use crate::{
    bytes::{array, be16, be32},
    container::heif::{Colors, Items, Meta, Properties},
    error::MediaError,
    format::Format,
    pixels::{Rectangle, require_pixel_limit},
};

use super::{
    av1::Av1Units,
    hevc::{HevcUnits, padded},
};

/// Maximum number of pixels of all coded pictures, times their slices or frames: an image of 100
/// megapixels with padding.
const MAX_CODED_PIXELS: u64 = 110_000_000;
/// Maximum number of pixels of one coded picture.
const MAX_PICTURE_PIXELS: u64 = 50_000_000;
/// Maximum data of all tiles: a multiple of the file and a number of bytes, since tiles of one
/// color may share it.
const MAX_DATA_RATIO: u64 = 2;
const MAX_SHARED_BYTES: u64 = 64 << 20;

/// A picture with its alpha.
pub(crate) struct HeifImage<'a> {
    pub(super) colors: Layout<'a>,
    pub(super) alpha: Option<Layout<'a>>,
    /// Whether the colors are multiplied by alpha.
    pub(super) is_premultiplied: bool,
    pub(crate) work: HeifWork,
}

/// What decoding takes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeifWork {
    /// Pixels of all coded pictures, times their slices or frames.
    pub(crate) pixels: u64,
    /// Pixels of the largest coded picture.
    pub(crate) picture_pixels: u64,
    /// Size of the data of the largest coded picture, and of all, in bytes.
    pub(crate) picture_bytes: u64,
    pub(crate) data_bytes: u64,
    /// Size of the data that is copied, because it has several extents.
    pub(crate) copied_bytes: u64,
}

/// The coded pictures of the colors or of the alpha of an image.
pub(super) struct Layout<'a> {
    /// Row by row.
    pub(super) tiles: Vec<Coded<'a>>,
    pub(super) columns: usize,
    pub(super) tile: ImageSize,
    size: ImageSize,
    /// The part that is shown.
    pub(super) shown: Rectangle,
    pub(super) code_points: Option<Colors>,
    pub(super) profile: Option<&'a [u8]>,
}

/// A coded picture.
pub(super) enum Coded<'a> {
    Hevc(HevcUnits<'a>),
    Av1(Av1Units<'a>),
}

impl<'a> HeifImage<'a> {
    /// Reads the headers of a complete file. Fails if the primary image is neither coded as the
    /// format says nor a grid of such images, or if decoding would exceed a limit.
    pub(crate) fn read(bytes: &'a [u8], format: Format) -> Result<HeifImage<'a>, MediaError> {
        let meta = Meta::of(bytes)?;
        let items = meta.items()?;
        let primary = meta.primary()?;
        let mut budget = Budget {
            format,
            work: HeifWork::default(),
            data: bytes.len() as u64 * MAX_DATA_RATIO + MAX_SHARED_BYTES,
        };

        let colors = budget.layout(&meta, &items, primary)?;
        let auxiliary = meta.alpha_of(primary)?;
        let alpha = auxiliary.map(|item| budget.layout(&meta, &items, item));
        let alpha = alpha.transpose()?;
        if alpha
            .as_ref()
            .is_some_and(|alpha| alpha.size != colors.size)
        {
            return Err(MediaError::malformed(
                "the alpha has other dimensions than the image",
            ));
        }

        let multiplied_by = items.targets(primary, *b"prem");
        Ok(HeifImage {
            colors,
            alpha,
            is_premultiplied: auxiliary.is_some_and(|alpha| multiplied_by.contains(&alpha)),
            work: budget.work,
        })
    }
}

/// What the pictures of an image take, and may take.
struct Budget {
    format: Format,
    work: HeifWork,
    /// Data that is left, in bytes.
    data: u64,
}

impl Budget {
    /// Reads the coded pictures of an item.
    fn layout<'a>(
        &mut self,
        meta: &Meta<'a>,
        items: &Items<'a>,
        item: u32,
    ) -> Result<Layout<'a>, MediaError> {
        let properties = meta.properties(item)?;
        let single = [item];
        let size = properties.dimensions()?;
        let (grid, tiles) = if items.kind(item) == Some(*b"grid") {
            let grid = Grid::read(&items.data(item)?)?;
            (grid, items.targets(item, *b"dimg"))
        } else {
            (Grid::of_one(size), &single[..])
        };
        let first = tiles.first().ok_or(self.unsupported())?;
        let first = meta.properties(*first)?;
        let tile = first.dimensions()?;
        grid.require_covered(tile, size, tiles.len())?;
        self.require_pictures(tile, tiles.len() as u64)?;

        let mut streams = Vec::with_capacity(tiles.len());
        for id in tiles {
            let found = meta.properties(*id)?;
            if found.dimensions()? != tile {
                return Err(MediaError::malformed("tiles of different dimensions"));
            }
            if items.kind(*id) != Some(self.kind()) {
                return Err(self.unsupported());
            }
            streams.push(self.coded(&found, items.data(*id)?, tile)?);
        }
        Ok(Layout {
            tiles: streams,
            columns: grid.columns,
            tile,
            size,
            shown: properties.shown(),
            code_points: properties.colors.or(first.colors),
            profile: properties.profile.or(first.profile),
        })
    }

    /// Fails if a number of pictures has too many pixels.
    fn require_pictures(&mut self, tile: ImageSize, count: u64) -> Result<(), MediaError> {
        let pixels = padded(tile).pixels();
        require_pixel_limit(pixels, MAX_PICTURE_PIXELS)?;
        require_pixel_limit(pixels.saturating_mul(count), MAX_CODED_PIXELS)?;
        self.work.picture_pixels = self.work.picture_pixels.max(pixels);
        Ok(())
    }

    /// Counts the data and the slices or frames of a picture.
    fn coded<'a>(
        &mut self,
        properties: &Properties<'a>,
        data: Cow<'a, [u8]>,
        tile: ImageSize,
    ) -> Result<Coded<'a>, MediaError> {
        let bytes = data.len() as u64;
        let left = self.data.checked_sub(bytes);
        self.data = left.ok_or_else(|| MediaError::malformed("tiles larger than the file"))?;

        if matches!(data, Cow::Owned(_)) {
            self.work.copied_bytes += bytes;
        }
        let (coded, passes) = if self.format == Format::Avif {
            if properties.operating_point != 0 {
                return Err(self.unsupported());
            }
            let units = Av1Units::read(data, properties.layer)?;
            let frames = units.frames;
            (Coded::Av1(units), frames)
        } else {
            let configuration = properties.hevc.ok_or(self.unsupported())?;
            let units = HevcUnits::read(configuration, data)?;
            let slices = units.slices;
            (Coded::Hevc(units), slices)
        };
        let decoded = padded(tile).pixels().saturating_mul(passes);
        let work = &mut self.work;
        work.pixels = work.pixels.saturating_add(decoded);
        work.picture_bytes = work.picture_bytes.max(bytes);
        work.data_bytes += bytes;
        require_pixel_limit(work.pixels, MAX_CODED_PIXELS)?;
        Ok(coded)
    }

    /// Returns the type of the items of coded pictures.
    fn kind(&self) -> [u8; 4] {
        if self.format == Format::Avif {
            *b"av01"
        } else {
            *b"hvc1"
        }
    }

    /// The error of an image that is not coded in a supported way.
    fn unsupported(&self) -> MediaError {
        MediaError::UnsupportedFormat(self.format)
    }
}

impl Properties<'_> {
    /// Returns the dimensions. Fails without any.
    fn dimensions(&self) -> Result<ImageSize, MediaError> {
        let size = self.size.filter(|size| size.pixels() > 0);
        size.ok_or_else(|| MediaError::malformed("an image without dimensions"))
    }
}

/// The data of a grid.
struct Grid {
    columns: usize,
    rows: usize,
    output: ImageSize,
}

impl Grid {
    /// Returns the grid of a single picture.
    fn of_one(output: ImageSize) -> Grid {
        Grid {
            columns: 1,
            rows: 1,
            output,
        }
    }

    fn read(data: &[u8]) -> Result<Grid, MediaError> {
        let [_, flags, rows, columns] = array(data, 0)?;
        let output = if flags & 1 == 1 {
            ImageSize::new(be32(data, 4)?, be32(data, 8)?)
        } else {
            ImageSize::new(be16(data, 4)?.into(), be16(data, 6)?.into())
        };
        Ok(Grid {
            columns: usize::from(columns) + 1,
            rows: usize::from(rows) + 1,
            output,
        })
    }

    /// Fails unless this number of tiles covers the image, and no row or column lies outside.
    fn require_covered(
        &self,
        tile: ImageSize,
        size: ImageSize,
        count: usize,
    ) -> Result<(), MediaError> {
        let covers = |tile: u32, count: usize, length: u32| {
            let (tile, count, length) = (u64::from(tile), count as u64, u64::from(length));
            tile * count >= length && tile * (count - 1) < length
        };
        let is_covered = covers(tile.width, self.columns, size.width)
            && covers(tile.height, self.rows, size.height)
            && count == self.columns * self.rows;
        if is_covered && self.output == size {
            Ok(())
        } else {
            Err(MediaError::malformed("the tiles do not match the image"))
        }
    }
}
