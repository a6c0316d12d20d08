//! What an image is, told by its header: format, dimensions, orientation, whether it moves and may
//! be transparent.
//!
//! Invariant: no pixel is decoded, nothing is allocated in proportion to what a header claims.

use crate::{
    Format, Orientation, ProbeError,
    bytes::{array, be32, le16, le32},
    container::{gif, heif, jpeg, png, tiff, webp},
    exif,
};

/// Whether an image moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// It does not.
    Still,
    /// It does.
    Animated,
    /// A GIF that tells only by a second frame, before which the bytes given end.
    Unknown,
}

/// What an image's header says. Width and height are at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probed {
    /// Its format.
    pub format: Format,
    /// Pixels, as stored.
    pub width: u32,
    /// Pixels, as stored.
    pub height: u32,
    /// How the stored pixels are turned to be seen.
    pub orientation: Orientation,
    /// Whether it moves.
    pub frames: Frames,
    /// Whether pixels may be transparent.
    pub has_alpha: bool,
    /// A JPEG that shows coarsely first.
    pub progressive: bool,
    /// Whether no pixel was changed when it was encoded.
    pub lossless: bool,
}

impl Probed {
    /// Width and height as seen, in pixels.
    pub fn displayed(&self) -> (u32, u32) {
        if self.orientation.swaps_sides() {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        }
    }

    /// Pixels of one frame.
    pub fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// A still image that is seen as it is stored, and opaque.
    fn plain(format: Format, width: u32, height: u32) -> Probed {
        Probed {
            format,
            width,
            height,
            orientation: Orientation::Normal,
            frames: Frames::Still,
            has_alpha: false,
            progressive: false,
            lossless: false,
        }
    }
}

/// Reads the header of an image that begins so. 64 KiB are enough for most; where they are not, the
/// error says how many are. With the whole file given, `NeedsMore` means that it ends early.
pub fn probe(head: &[u8]) -> Result<Probed, ProbeError> {
    let probed = match Format::of(head) {
        Some(Format::Jpeg) => of_jpeg(head),
        Some(Format::Png) => of_png(head),
        Some(Format::Gif) => of_gif(head),
        Some(Format::WebP) => of_webp(head),
        Some(format @ (Format::Avif | Format::Heic)) => of_heif(head, format),
        Some(Format::Bmp) => of_bmp(head),
        Some(Format::Tiff) => of_tiff(head),
        Some(Format::Ico) => of_ico(head),
        None => Err(ProbeError::Unknown),
    }?;
    if probed.width == 0 || probed.height == 0 {
        return Err(ProbeError::Malformed("an image without pixels"));
    }
    Ok(probed)
}

fn of_jpeg(head: &[u8]) -> Result<Probed, ProbeError> {
    let mut segments = jpeg::Segments::of(head);
    let mut orientation = None;
    loop {
        let segment = segments.next()?;
        if segment.is_named(jpeg::EXIF, jpeg::EXIF_NAME) {
            // The first counts, as it does where camera data is taken along.
            orientation.get_or_insert_with(|| {
                exif::orientation(&segment.payload[jpeg::EXIF_NAME.len()..])
            });
        } else if segment.is_frame() {
            let [_, high, low, wide, narrow, ..] = *segment.payload else {
                return Err(ProbeError::Malformed("a JPEG frame without dimensions"));
            };
            let side = |high, low| u16::from_be_bytes([high, low]).into();
            return Ok(Probed {
                orientation: orientation.unwrap_or_default(),
                progressive: segment.is_progressive_frame(),
                ..Probed::plain(Format::Jpeg, side(wide, narrow), side(high, low))
            });
        } else if matches!(segment.marker, jpeg::SCAN | jpeg::END) {
            return Err(ProbeError::Malformed("a JPEG without a frame"));
        }
    }
}

fn of_png(head: &[u8]) -> Result<Probed, ProbeError> {
    let mut chunks = png::Chunks::of(head);
    let header = chunks.next()?;
    if header.kind != *b"IHDR" || header.data.len() != 13 {
        return Err(ProbeError::Malformed("a PNG without its header"));
    }
    let start = header.data.start;
    let mut probed = Probed::plain(Format::Png, be32(head, start)?, be32(head, start + 4)?);
    probed.lossless = true;
    // The colour types with an alpha channel.
    probed.has_alpha = matches!(array(head, start + 9)?, [4 | 6]);
    loop {
        let chunk = chunks.next()?;
        match &chunk.kind {
            b"tRNS" => probed.has_alpha = true,
            b"acTL" => probed.frames = Frames::Animated,
            b"eXIf" => probed.orientation = exif::orientation(chunk.data(head)?),
            b"IDAT" => return Ok(probed),
            b"IEND" => return Err(ProbeError::Malformed("a PNG without pixels")),
            _ => {}
        }
    }
}

fn of_gif(head: &[u8]) -> Result<Probed, ProbeError> {
    let mut probed = Probed::plain(Format::Gif, le16(head, 6)?.into(), le16(head, 8)?.into());
    probed.lossless = true;
    let mut blocks = gif::Blocks::of(head)?;
    let mut has_image = false;
    loop {
        match blocks.next() {
            Ok((gif::Kind::Image, _)) if has_image => {
                return Ok(Probed {
                    frames: Frames::Animated,
                    ..probed
                });
            }
            Ok((gif::Kind::Image, _)) => has_image = true,
            Ok((gif::Kind::Control { has_alpha }, _)) => probed.has_alpha |= has_alpha,
            Ok((gif::Kind::Trailer, _)) if has_image => return Ok(probed),
            Ok((gif::Kind::Trailer, _)) => {
                return Err(ProbeError::Malformed("a GIF without frames"));
            }
            Ok(_) => {}
            Err(ProbeError::NeedsMore { .. }) => {
                return Ok(Probed {
                    frames: Frames::Unknown,
                    ..probed
                });
            }
            Err(error) => return Err(error),
        }
    }
}

fn of_webp(head: &[u8]) -> Result<Probed, ProbeError> {
    let mut chunks = webp::Chunks::of(head)?;
    let first = chunks
        .next()?
        .ok_or(ProbeError::Malformed("a WebP without chunks"))?;
    match &first.kind {
        b"VP8 " | b"VP8L" => {
            let (width, height, has_alpha) = webp::frame(head, &first)?;
            let lossless = first.kind == *b"VP8L";
            Ok(Probed {
                has_alpha,
                lossless,
                ..Probed::plain(Format::WebP, width, height)
            })
        }
        b"VP8X" => of_extended_webp(head, &first, chunks),
        _ => Err(ProbeError::Malformed("a WebP without pixels")),
    }
}

fn of_extended_webp(
    head: &[u8],
    first: &webp::Chunk,
    mut chunks: webp::Chunks,
) -> Result<Probed, ProbeError> {
    let [flags] = array(head, first.data.start)?;
    let (width, height) = webp::canvas(head, first)?;
    let mut probed = Probed::plain(Format::WebP, width, height);
    probed.has_alpha = flags & webp::HAS_ALPHA != 0;
    if flags & webp::ANIMATED != 0 {
        probed.frames = Frames::Animated;
    } else {
        probed.lossless = of_webp_pixels(head, &mut chunks, (width, height))?;
    }
    // Camera data comes after the pixels; only who has some is asked for that much.
    if flags & webp::HAS_EXIF != 0
        && let Some(chunk) = chunks.find(*b"EXIF")?
    {
        let data = chunk.data(head)?;
        // Some writers begin it as in a JPEG.
        probed.orientation = exif::orientation(data.strip_prefix(jpeg::EXIF_NAME).unwrap_or(data));
    }
    Ok(probed)
}

/// Whether the pixels of a still, extended file are lossless. They must be those of its canvas:
/// decoders believe them.
fn of_webp_pixels(
    head: &[u8],
    chunks: &mut webp::Chunks,
    canvas: (u32, u32),
) -> Result<bool, ProbeError> {
    while let Some(chunk) = chunks.next()? {
        if matches!(&chunk.kind, b"VP8 " | b"VP8L") {
            let (width, height, _) = webp::frame(head, &chunk)?;
            if (width, height) != canvas {
                return Err(ProbeError::Malformed(
                    "WebP pixels that are not those of the canvas",
                ));
            }
            return Ok(chunk.kind == *b"VP8L");
        }
    }
    Err(ProbeError::Malformed("a WebP without pixels"))
}

fn of_heif(head: &[u8], format: Format) -> Result<Probed, ProbeError> {
    let found = heif::primary(head)?;
    // The major brand of image sequences.
    let is_sequence = matches!(head.get(8..12), Some(b"avis" | b"hevc" | b"hevx" | b"msf1"));
    Ok(Probed {
        orientation: Orientation::of_turns(found.turns, found.mirror),
        frames: if is_sequence {
            Frames::Animated
        } else {
            Frames::Still
        },
        has_alpha: found.has_alpha,
        ..Probed::plain(format, found.width, found.height)
    })
}

fn of_bmp(head: &[u8]) -> Result<Probed, ProbeError> {
    let header = le32(head, 14)?;
    if header == 12 {
        return Ok(Probed::plain(
            Format::Bmp,
            le16(head, 18)?.into(),
            le16(head, 20)?.into(),
        ));
    }
    // Signed: a negative height is that of rows stored from the top.
    let (width, height) = (le32(head, 18)?.cast_signed(), le32(head, 22)?.cast_signed());
    let width =
        u32::try_from(width).map_err(|_| ProbeError::Malformed("a BMP of negative width"))?;
    let has_alpha = header >= 56 && le32(head, 66)? != 0;
    Ok(Probed {
        has_alpha,
        lossless: true,
        ..Probed::plain(Format::Bmp, width, height.unsigned_abs())
    })
}

fn of_tiff(head: &[u8]) -> Result<Probed, ProbeError> {
    let directory = tiff::Directory::first(head)?;
    let side = |tag| directory.number(tag).map(Option::unwrap_or_default);
    let orientation = directory
        .number(tiff::ORIENTATION)?
        .and_then(Orientation::of_exif)
        .unwrap_or_default();
    let has_alpha = directory.has(tiff::EXTRA_SAMPLES)?;
    Ok(Probed {
        orientation,
        has_alpha,
        ..Probed::plain(Format::Tiff, side(tiff::WIDTH)?, side(tiff::HEIGHT)?)
    })
}

/// An icon's largest image.
fn of_ico(head: &[u8]) -> Result<Probed, ProbeError> {
    let count = usize::from(le16(head, 4)?);
    let mut largest = (0, 0);
    for index in 0..count {
        let [width, height] = array(head, 6 + index * 16)?;
        // 0 stands for 256.
        let side = |side: u8| if side == 0 { 256 } else { u32::from(side) };
        largest = largest.max((side(width), side(height)));
    }
    Ok(Probed {
        has_alpha: true,
        lossless: true,
        ..Probed::plain(Format::Ico, largest.0, largest.1)
    })
}
