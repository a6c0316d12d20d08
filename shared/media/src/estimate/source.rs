//! How an image is coded, as far as it decides about memory and time.

use crate::{
    Channels, Dimensions, Format, Frames, ImageInfo, MediaError, ProbeError,
    bytes::array,
    container::{
        jpeg::{self, Segments},
        tiff::{self, Directory},
    },
    decode::{MAX_BITMAP_PIXELS, MAX_ROWS_PER_BLOCK, MAX_SCANS},
};

use super::webp_tables::{self, MAX_TABLE_BYTES};

/// Offset of the color type of a PNG, in bytes.
const PNG_COLOR_TYPE: usize = 25;
/// PNG color type of gray without alpha.
const PNG_GRAY: u8 = 0;
/// TIFF color interpretation of indices of a palette.
const TIFF_PALETTE: u32 = 3;
/// TIFF compression by JPEG files, one per strip or tile.
const TIFF_JPEG: u32 = 7;
/// Length of a JPEG frame header before its components, in bytes.
const FRAME_HEADER: usize = 6;
/// Offset of the color transform in an Adobe segment, in bytes; 0 stands for RGB or CMYK.
const ADOBE_TRANSFORM: usize = 11;
/// Side of a block of JPEG coefficients.
const BLOCK_SIDE: u32 = 8;

/// Coding of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// JPEG.
    Jpeg(JpegCoding),
    /// TIFF.
    Tiff(TiffCoding),
    /// WebP.
    WebP {
        /// Size of the decoder's code tables, in bytes.
        table_bytes: u64,
    },
    /// Another format.
    Other {
        /// Channels of decoded pixels.
        channels: Channels,
    },
}

/// Coding of a JPEG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JpegCoding {
    /// Blocks of 8 × 8 samples of each component, with padding.
    pub(crate) components: Vec<Blocks>,
    /// Whether luma and chroma can be decoded to separate layers. If in doubt, they are not.
    pub(crate) is_separable: bool,
    /// Size of the color profile, in bytes.
    pub(crate) profile_bytes: u64,
    /// Number of scans.
    pub(crate) scans: u64,
    /// Whether the decoder keeps the coefficients of the whole image, since a pixel depends on
    /// several scans.
    pub(crate) is_buffered: bool,
}

/// Numbers of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    pub(crate) across: u32,
    pub(crate) down: u32,
}

impl Blocks {
    /// Returns the number of samples.
    pub(crate) fn samples(self) -> u64 {
        let size = Dimensions {
            width: self.across,
            height: self.down,
        };
        size.pixels()
            .saturating_mul((BLOCK_SIDE * BLOCK_SIDE).into())
    }
}

/// Coding of a TIFF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TiffCoding {
    /// Size of a pixel before its conversion to 8 bits per channel, in bytes.
    pub(crate) pixel_bytes: u64,
    /// Size of all tiles together, which may exceed the image. They are decompressed whole.
    pub(crate) padded: Dimensions,
    /// Channels of decoded pixels.
    pub(crate) channels: Channels,
}

impl Coding {
    /// Reads the coding of a complete file.
    pub(crate) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<Coding, MediaError> {
        Ok(match probed.format {
            Format::Jpeg => Coding::Jpeg(read_jpeg(bytes)?),
            Format::Tiff => Coding::Tiff(read_tiff(bytes, probed)?),
            // The tables of frames are limited when they are decoded.
            Format::WebP if probed.frames != Frames::Still => Coding::WebP {
                table_bytes: MAX_TABLE_BYTES,
            },
            Format::WebP => Coding::WebP {
                table_bytes: webp_tables::table_bytes(bytes, MAX_TABLE_BYTES)?,
            },
            Format::Png => Coding::Other {
                channels: png_channels(bytes, probed)?,
            },
            Format::Gif | Format::Bmp | Format::Ico => Coding::Other {
                channels: Channels::Rgba,
            },
            other @ (Format::Avif | Format::Heic) => {
                return Err(MediaError::UnsupportedFormat(other));
            }
        })
    }
}

fn read_jpeg(bytes: &[u8]) -> Result<JpegCoding, MediaError> {
    let mut segments = Segments::of(bytes);
    let mut coding = JpegCoding {
        components: Vec::new(),
        is_separable: false,
        profile_bytes: 0,
        scans: 0,
        is_buffered: false,
    };

    let mut is_ycc = true;
    loop {
        let segment = segments.next_or_end()?;
        is_ycc &= !segment.starts_with(jpeg::ADOBE, jpeg::ADOBE_NAME)
            || segment.payload.get(ADOBE_TRANSFORM) != Some(&0);
        if segment.is_frame() && coding.components.is_empty() {
            coding.components = jpeg_components(segment.payload)?;
            is_ycc &= is_separable_frame(segment.payload);
            coding.is_buffered = segment.is_progressive_frame();
        } else if segment.starts_with(jpeg::PROFILE, jpeg::PROFILE_NAME) {
            coding.profile_bytes += segment.payload.len() as u64;
        } else if segment.marker == jpeg::SCAN {
            let count = segment.payload.first().copied().unwrap_or_default();
            coding.scans += 1;
            if coding.scans > MAX_SCANS as u64 {
                return Err(MediaError::TooManyScans(MAX_SCANS));
            }
            coding.is_buffered |= usize::from(count) < coding.components.len();
        } else if segment.marker == jpeg::END {
            coding.is_separable = is_ycc;
            return Ok(coding);
        }
    }
}

/// Reads the components of a frame header.
fn jpeg_components(header: &[u8]) -> Result<Vec<Blocks>, MediaError> {
    let [_, high, low, wide, narrow, count, components @ ..] = header else {
        return Err(ProbeError::Malformed("a JPEG frame without components").into());
    };
    let width = u32::from(u16::from_be_bytes([*wide, *narrow]));
    let height = u32::from(u16::from_be_bytes([*high, *low]));
    let samplings: Vec<Blocks> = components
        .as_chunks::<3>()
        .0
        .iter()
        .take(usize::from(*count))
        .map(|[_, sampling, _]| Blocks {
            across: u32::from(sampling >> 4).max(1),
            down: u32::from(sampling & 15).max(1),
        })
        .collect();
    let most = Blocks {
        across: samplings
            .iter()
            .map(|blocks| blocks.across)
            .max()
            .unwrap_or(1),
        down: samplings
            .iter()
            .map(|blocks| blocks.down)
            .max()
            .unwrap_or(1),
    };

    let padded = samplings.iter().map(|sampling| Blocks {
        across: width.div_ceil(BLOCK_SIDE * most.across) * sampling.across,
        down: height.div_ceil(BLOCK_SIDE * most.down) * sampling.down,
    });
    Ok(padded.collect())
}

/// Whether a frame has three components, none of them named like a primary color, and no more rows
/// per block than [`MAX_ROWS_PER_BLOCK`].
fn is_separable_frame(header: &[u8]) -> bool {
    let components = header.get(FRAME_HEADER..).unwrap_or_default();
    let [luma, blue, red] = components.as_chunks::<3>().0 else {
        return false;
    };
    let is_rgb = [luma[0], blue[0], red[0]] == *b"RGB";
    let is_readable = [luma, blue, red]
        .iter()
        .all(|[_, sampling, _]| sampling & 15 <= MAX_ROWS_PER_BLOCK);
    !is_rgb && is_readable
}

fn read_tiff(bytes: &[u8], probed: &ImageInfo) -> Result<TiffCoding, MediaError> {
    let directory = Directory::first(bytes)?;
    // The decoder does not check the dimensions of these files.
    if directory.single_number(tiff::COMPRESSION)? == Some(TIFF_JPEG) {
        return Err(MediaError::malformed("a TIFF that contains JPEG files"));
    }
    let samples = directory
        .number(tiff::SAMPLES_PER_PIXEL)?
        .unwrap_or(1)
        .max(1);
    let bits = directory.first_number(tiff::BITS_PER_SAMPLE)?.unwrap_or(1);
    let is_palette = directory.number(tiff::COLOR_INTERPRETATION)? == Some(TIFF_PALETTE);

    let channels = match samples {
        1 if is_palette => Channels::Rgb,
        1 => Channels::Gray,
        3 if !probed.has_alpha => Channels::Rgb,
        _ => Channels::Rgba,
    };
    let pixel_bytes = u64::from(samples).saturating_mul(bits.div_ceil(8).into());
    Ok(TiffCoding {
        pixel_bytes: pixel_bytes.max(channels.count() as u64),
        padded: padded_size(&directory, probed.stored())?,
        channels,
    })
}

/// Returns the size of all tiles of a TIFF together. Fails if it exceeds the pixel limit.
fn padded_size(directory: &Directory, size: Dimensions) -> Result<Dimensions, MediaError> {
    let padded = |side: u32, tag| {
        let tile = directory.single_number(tag)?.unwrap_or(1).max(1);
        Ok::<u32, ProbeError>(side.div_ceil(tile).saturating_mul(tile))
    };
    let padded = Dimensions {
        width: padded(size.width, tiff::TILE_WIDTH)?,
        height: padded(size.height, tiff::TILE_HEIGHT)?,
    };

    let pixels = padded.pixels();
    if pixels > MAX_BITMAP_PIXELS {
        return Err(MediaError::TooManyPixels {
            pixels,
            limit: MAX_BITMAP_PIXELS,
        });
    }
    Ok(padded)
}

fn png_channels(bytes: &[u8], probed: &ImageInfo) -> Result<Channels, MediaError> {
    let [color_type] = array(bytes, PNG_COLOR_TYPE)?;
    Ok(if probed.has_alpha {
        Channels::Rgba
    } else if color_type == PNG_GRAY {
        Channels::Gray
    } else {
        Channels::Rgb
    })
}
