//! Decoding of HEIC and AVIF: the primary image, which is one picture or a grid of tiles, with its
//! alpha.
//!
//! Invariants:
//! - Limits are checked from headers alone, and the first tile is decoded before the pixels are
//!   allocated.
//! - Memory in addition to the pixels: [`HEVC_PIXEL_BYTES`] or [`AV1_PIXEL_BYTES`] per pixel of one
//!   tile, twice its data, copies of data in several extents, and the process that decodes AV1.

mod av1;
mod hevc;
mod layout;
mod picture;
mod ycc;

pub(crate) use layout::HeifImage;

use ::av1::Decoder;
use domain::naming::ImageSize;
use moxcms::{
    CicpColorPrimaries, CicpProfile, ColorProfile, MatrixCoefficients, TransferCharacteristics,
};

use crate::{
    error::MediaError,
    format::Format,
    pixels::{Channels, Pixels, Rectangle},
    probe::ImageInfo,
};

use self::{
    layout::{Coded, Layout},
    picture::{Chroma, Picture},
    ycc::YccConverter,
};

use super::{image::divide_by_alpha, require_size};

/// Memory of a decoder per pixel of the largest picture of HEVC: planes of 16 bits in full chroma,
/// and their copy without padding.
pub(crate) const HEVC_PIXEL_BYTES: u64 = 14;
/// The same of AV1 in this process: planes of 16 bits in full chroma.
pub(crate) const AV1_PIXEL_BYTES: u64 = 6;
/// Primaries of sRGB, and none (ISO/IEC 23091-2, table 2).
const SRGB_PRIMARIES: [u16; 3] = [0, 1, 2];

/// Decodes the part of the primary image that is shown, without its orientation.
pub(super) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    let format = probed.format;
    let image = HeifImage::read(bytes, format)?;
    let shown = image.colors.shown;
    require_size(probed.stored(), shown.width, shown.height)?;
    let mut codec = match format {
        Format::Avif => Codec::Av1(av1::start(image.work.picture_pixels)?),
        _ => Codec::Hevc,
    };

    let mut primaries = image.colors.code_points.map(|colors| colors.primaries);
    let mut pixels = None;
    codec.decode_tiles(&image.colors, shown, |picture, area, place| {
        let has_alpha = image.alpha.is_some();
        let channels = channels(picture, has_alpha);
        primaries.get_or_insert(picture.primaries);
        let target = pixels.get_or_insert_with(|| Pixels::zeroed(shown.size(), channels));
        if target.channels != channels {
            return Err(MediaError::malformed("tiles with and without colors"));
        }
        let converter = YccConverter::new(picture, image.colors.code_points, format)?;
        for (row, samples) in rows(target, place).enumerate() {
            converter.write_colors(picture, area, row, samples, channels.count());
        }
        Ok(())
    })?;
    let mut pixels = pixels.ok_or(MediaError::Truncated)?;

    if let Some(alpha) = &image.alpha {
        codec.decode_tiles(alpha, shown, |picture, area, place| {
            let converter = YccConverter::new(picture, alpha.code_points, format)?;
            for (row, samples) in rows(&mut pixels, place).enumerate() {
                converter.write_alpha(picture, area, row, samples);
            }
            Ok(())
        })?;
        if image.is_premultiplied {
            divide_by_alpha(&mut pixels);
        }
    }

    pixels.profile = match image.colors.profile {
        Some(profile) => Some(profile.to_vec()),
        None => primaries.and_then(profile_of),
    };
    Ok(pixels)
}

/// What decodes the pictures of an image.
enum Codec {
    Hevc,
    Av1(Decoder),
}

impl Codec {
    /// Decodes each tile, and passes it with its shown part, in pixels of the tile, and the place
    /// of this part in the shown part of the image.
    fn decode_tiles(
        &mut self,
        layout: &Layout,
        shown: Rectangle,
        mut write: impl FnMut(&Picture, Rectangle, Rectangle) -> Result<(), MediaError>,
    ) -> Result<(), MediaError> {
        for (index, tile) in layout.tiles.iter().enumerate() {
            let picture = self.decode(tile, layout.tile)?;
            let column = index % layout.columns;
            let row = index / layout.columns;
            let horizontal = overlap(column, layout.tile.width, shown.left, shown.width);
            let vertical = overlap(row, layout.tile.height, shown.top, shown.height);
            let (Some(horizontal), Some(vertical)) = (horizontal, vertical) else {
                continue;
            };

            let at = |left, top| Rectangle {
                left,
                top,
                width: horizontal.length,
                height: vertical.length,
            };
            write(
                &picture,
                at(horizontal.in_tile, vertical.in_tile),
                at(horizontal.in_image, vertical.in_image),
            )?;
        }
        Ok(())
    }

    fn decode(&mut self, coded: &Coded, size: ImageSize) -> Result<Picture, MediaError> {
        match (self, coded) {
            (Codec::Hevc, Coded::Hevc(units)) => units.decode(size),
            (Codec::Av1(decoder), Coded::Av1(units)) => units.decode(decoder, size),
            _ => Err(MediaError::malformed("pictures of different codecs")),
        }
    }
}

/// The part of a side of a tile that is shown.
struct Overlap {
    in_tile: u32,
    in_image: u32,
    length: u32,
}

/// Returns the part of a tile that is shown, by its index and length on a side; `None` if nothing
/// is.
fn overlap(index: usize, tile: u32, start: u32, length: u32) -> Option<Overlap> {
    // Tiles begin inside of the image, so that no number overflows.
    let begin = u32::try_from(index).ok()?.checked_mul(tile)?;
    let end = begin.saturating_add(tile).min(start.saturating_add(length));
    let first = begin.max(start);
    (first < end).then(|| Overlap {
        in_tile: first - begin,
        in_image: first - start,
        length: end - first,
    })
}

/// Returns the rows of a part of the pixels, which must lie inside.
fn rows(pixels: &mut Pixels, place: Rectangle) -> impl Iterator<Item = &mut [u8]> {
    let count = pixels.channels.count();
    let start = place.left as usize * count;
    let end = start + place.width as usize * count;
    let row = pixels.row_bytes();
    let rows = pixels.samples.chunks_exact_mut(row);
    rows.skip(place.top as usize)
        .take(place.height as usize)
        .map(move |row| &mut row[start..end])
}

fn channels(picture: &Picture, has_alpha: bool) -> Channels {
    match (has_alpha, picture.chroma) {
        (true, _) => Channels::Rgba,
        (false, Chroma::None) => Channels::Gray,
        (false, _) => Channels::Rgb,
    }
}

/// Returns a profile of other primaries than those of sRGB, with the curve of sRGB: HDR is shown
/// without tone mapping.
fn profile_of(primaries: u16) -> Option<Vec<u8>> {
    if SRGB_PRIMARIES.contains(&primaries) {
        return None;
    }
    let primaries = u8::try_from(primaries).ok()?;
    let profile = ColorProfile::new_from_cicp(CicpProfile {
        color_primaries: CicpColorPrimaries::try_from(primaries).ok()?,
        transfer_characteristics: TransferCharacteristics::Srgb,
        matrix_coefficients: MatrixCoefficients::Identity,
        full_range: true,
    });
    profile.encode().ok()
}
