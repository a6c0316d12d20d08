//! Properties of images from their headers: format, dimensions, orientation, animation and alpha.
//!
//! Invariant: no pixel is decoded, and no allocation depends on sizes in a header.

use domain::naming::ImageSize;

use crate::{
    bytes::{array, be32, le16, le32},
    container::{Chunk, gif, heif, ico, jpeg, png, tiff, webp},
    error::{MediaError, ProbeError},
    exif,
    format::Format,
    orient::Orientation,
};

/// Whether an image is animated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    Still,
    Animated,
    /// A GIF whose available bytes contain neither a second frame nor the end.
    Unknown,
}

/// Properties of an image. Width and height are at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    pub format: Format,
    /// Width as stored, in pixels.
    pub width: u32,
    /// Height as stored, in pixels.
    pub height: u32,
    pub orientation: Orientation,
    /// Whether the image is animated.
    pub frames: Frames,
    /// Whether pixels can be transparent.
    pub has_alpha: bool,
    /// Whether it is a progressive JPEG.
    pub progressive: bool,
    /// Whether the encoding is lossless.
    pub lossless: bool,
}

impl ImageInfo {
    /// Returns the dimensions as stored.
    pub fn stored(&self) -> ImageSize {
        ImageSize::new(self.width, self.height)
    }

    /// Returns the dimensions as displayed.
    pub fn displayed(&self) -> ImageSize {
        if self.orientation.swaps_sides() {
            ImageSize::new(self.height, self.width)
        } else {
            self.stored()
        }
    }

    /// Returns the number of pixels of a frame.
    pub fn pixels(&self) -> u64 {
        self.stored().pixels()
    }

    /// Creates the properties of an opaque still image with normal orientation.
    fn still(format: Format, width: u32, height: u32) -> ImageInfo {
        ImageInfo {
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

/// Reads the header from the first bytes of an image. 64 KiB are enough for most images; otherwise
/// the error contains the required number. A complete file with `NeedsMore` is truncated.
pub fn probe(head: &[u8]) -> Result<ImageInfo, ProbeError> {
    let probed = match Format::detect(head) {
        Some(Format::Jpeg) => probe_jpeg(head),
        Some(Format::Png) => probe_png(head),
        Some(Format::Gif) => probe_gif(head),
        Some(Format::WebP) => probe_webp(head),
        Some(format @ (Format::Avif | Format::Heic)) => probe_heif(head, format),
        Some(Format::Bmp) => probe_bmp(head),
        Some(Format::Tiff) => probe_tiff(head),
        Some(Format::Ico) => probe_ico(head),
        None => Err(ProbeError::UnknownFormat),
    }?;

    if probed.width == 0 || probed.height == 0 {
        return Err(ProbeError::Malformed("an image without pixels"));
    }
    Ok(probed)
}

/// Reads the header of an image of which there are all bytes: whether it is animated is known, and
/// what is missing behind the pixels does not matter.
pub fn probe_whole(bytes: &[u8]) -> Result<ImageInfo, MediaError> {
    let mut probed = match probe(bytes) {
        Err(ProbeError::NeedsMore { .. }) if Format::detect(bytes) == Some(Format::WebP) => {
            probe(&webp::repaired(bytes)?)?
        }
        probed => probed?,
    };
    if probed.frames == Frames::Unknown {
        probed.frames = if gif::count_frames(bytes)? > 1 {
            Frames::Animated
        } else {
            Frames::Still
        };
    }
    Ok(probed)
}

fn probe_jpeg(head: &[u8]) -> Result<ImageInfo, ProbeError> {
    let mut orientation = None;
    let mut frame = None;

    for segment in jpeg::Segments::of(head) {
        let segment = segment?;
        if segment.starts_with(jpeg::EXIF, jpeg::EXIF_NAME) {
            // The first EXIF segment counts, as for `exif::block`.
            orientation.get_or_insert_with(|| {
                exif::orientation(&segment.payload[jpeg::EXIF_NAME.len()..])
            });
        } else if segment.is_frame() {
            let [_, high, low, wide, narrow, ..] = *segment.payload else {
                return Err(ProbeError::Malformed("a JPEG frame without dimensions"));
            };
            let side = |high, low| u16::from_be_bytes([high, low]).into();
            frame.get_or_insert(ImageInfo {
                progressive: segment.is_progressive_frame(),
                ..ImageInfo::still(Format::Jpeg, side(wide, narrow), side(high, low))
            });
        } else if segment.marker == jpeg::SCAN {
            break;
        }
    }

    let frame = frame.ok_or(ProbeError::Malformed("a JPEG without a frame"))?;
    Ok(ImageInfo {
        orientation: orientation.unwrap_or_default(),
        ..frame
    })
}

fn probe_png(head: &[u8]) -> Result<ImageInfo, ProbeError> {
    let mut chunks = png::Chunks::of(head);
    let header = chunks.read()?;

    if header.kind != *b"IHDR" || header.data.len() != 13 {
        return Err(ProbeError::Malformed("a PNG without its header"));
    }

    let start = header.data.start;
    let mut probed = ImageInfo::still(Format::Png, be32(head, start)?, be32(head, start + 4)?);
    probed.lossless = true;

    // The color types with an alpha channel.
    probed.has_alpha = matches!(array(head, start + 9)?, [4 | 6]);

    for chunk in chunks {
        let chunk = chunk?;
        match &chunk.kind {
            b"tRNS" => probed.has_alpha = true,
            b"acTL" => probed.frames = Frames::Animated,
            b"eXIf" => probed.orientation = exif::orientation(chunk.data(head)?),
            b"IDAT" => return Ok(probed),
            _ => {}
        }
    }
    Err(ProbeError::Malformed("a PNG without pixels"))
}

fn probe_gif(head: &[u8]) -> Result<ImageInfo, ProbeError> {
    let mut blocks = gif::Blocks::of(head)?;
    let mut has_alpha = false;
    let canvas = loop {
        if blocks.introducer()? == gif::IMAGE {
            break gif::canvas(head, blocks.at())?;
        }
        match blocks.next().transpose()?.map(|block| block.kind) {
            Some(gif::BlockKind::Control { has_alpha: has }) => has_alpha |= has,
            Some(gif::BlockKind::Trailer) | None => {
                return Err(ProbeError::Malformed("a GIF without frames"));
            }
            Some(_) => {}
        }
    };

    let mut probed = ImageInfo {
        has_alpha,
        lossless: true,
        ..ImageInfo::still(Format::Gif, canvas.width, canvas.height)
    };
    let mut images = 0;
    for block in blocks {
        match block.map(|block| block.kind) {
            Ok(gif::BlockKind::Image) => images += 1,
            Ok(gif::BlockKind::Control { has_alpha }) => probed.has_alpha |= has_alpha,
            Ok(_) => {}
            Err(ProbeError::NeedsMore { .. }) => {
                probed.frames = Frames::Unknown;
                break;
            }
            // A damaged later part ends the animation.
            Err(_) if images > 0 => break,
            Err(error) => return Err(error),
        }
        if images > 1 {
            probed.frames = Frames::Animated;
            break;
        }
    }
    Ok(probed)
}

fn probe_webp(head: &[u8]) -> Result<ImageInfo, ProbeError> {
    let mut chunks = webp::Chunks::of(head)?;
    let first = chunks
        .next()?
        .ok_or(ProbeError::Malformed("a WebP without chunks"))?;

    match &first.kind {
        b"VP8 " | b"VP8L" => {
            let frame = webp::frame(head, &first)?;
            let ImageSize { width, height } = frame.dimensions;
            Ok(ImageInfo {
                has_alpha: frame.has_alpha,
                lossless: first.kind == *b"VP8L",
                ..ImageInfo::still(Format::WebP, width, height)
            })
        }
        b"VP8X" => probe_extended_webp(head, &first, chunks),
        _ => Err(ProbeError::Malformed("a WebP without pixels")),
    }
}

fn probe_extended_webp(
    head: &[u8],
    first: &Chunk,
    mut chunks: webp::Chunks,
) -> Result<ImageInfo, ProbeError> {
    let [flags] = array(head, first.data.start)?;
    let canvas = webp::canvas(head, first)?;
    let mut probed = ImageInfo::still(Format::WebP, canvas.width, canvas.height);
    if flags & webp::ANIMATED != 0 {
        probed.frames = Frames::Animated;
        probed.has_alpha = flags & webp::HAS_ALPHA != 0;
    } else {
        let pixels = webp_pixels(head, &mut chunks, canvas)?;
        probed.lossless = pixels.is_lossless;
        probed.has_alpha = pixels.has_alpha;
    }

    // EXIF data follows the pixels, so only images that have some need that many bytes.
    if flags & webp::HAS_EXIF != 0
        && let Some(chunk) = chunks.find(*b"EXIF")?
    {
        let data = chunk.data(head)?;
        // Some encoders write the prefix of JPEG segments.
        probed.orientation = exif::orientation(data.strip_prefix(jpeg::EXIF_NAME).unwrap_or(data));
    }

    Ok(probed)
}

/// What the pixels of an extended still WebP are, whatever its header announces.
struct WebPPixels {
    is_lossless: bool,
    has_alpha: bool,
}

/// Finds the pixels of an extended still image. Fails if their dimensions differ from the canvas,
/// since decoders use those of the pixels.
fn webp_pixels(
    head: &[u8],
    chunks: &mut webp::Chunks,
    canvas: ImageSize,
) -> Result<WebPPixels, ProbeError> {
    let mut has_alpha = false;
    while let Some(chunk) = chunks.next()? {
        has_alpha |= chunk.kind == *b"ALPH";
        if !matches!(&chunk.kind, b"VP8 " | b"VP8L") {
            continue;
        }

        let frame = webp::frame(head, &chunk)?;
        if frame.dimensions != canvas {
            return Err(ProbeError::Malformed(
                "the dimensions of the WebP pixels differ from the canvas",
            ));
        }

        let is_lossless = chunk.kind == *b"VP8L";
        return Ok(WebPPixels {
            is_lossless,
            has_alpha: if is_lossless {
                frame.has_alpha
            } else {
                has_alpha
            },
        });
    }

    Err(ProbeError::Malformed("a WebP without pixels"))
}

fn probe_heif(head: &[u8], format: Format) -> Result<ImageInfo, ProbeError> {
    let meta = heif::Meta::of(head)?;
    let primary = meta.primary()?;
    let found = meta.properties(primary)?;
    let shown = found.shown();

    // The major brand of image sequences.
    let is_sequence = matches!(head.get(8..12), Some(b"avis" | b"hevc" | b"hevx" | b"msf1"));

    Ok(ImageInfo {
        orientation: Orientation::from_heif(found.turns, found.mirror),
        frames: if is_sequence {
            Frames::Animated
        } else {
            Frames::Still
        },
        has_alpha: meta.alpha_of(primary)?.is_some(),
        ..ImageInfo::still(format, shown.width, shown.height)
    })
}

fn probe_bmp(head: &[u8]) -> Result<ImageInfo, ProbeError> {
    let header = le32(head, 14)?;
    if header == 12 {
        return Ok(ImageInfo::still(
            Format::Bmp,
            le16(head, 18)?.into(),
            le16(head, 20)?.into(),
        ));
    }

    // ImageSize are signed: a negative height means top-down rows.
    let height = le32(head, 22)?.cast_signed();
    let width = u32::try_from(le32(head, 18)?.cast_signed())
        .map_err(|_| ProbeError::Malformed("the width of the BMP is negative"))?;
    let has_alpha = header >= 56 && le32(head, 66)? != 0;

    Ok(ImageInfo {
        has_alpha,
        lossless: true,
        ..ImageInfo::still(Format::Bmp, width, height.unsigned_abs())
    })
}

fn probe_tiff(head: &[u8]) -> Result<ImageInfo, ProbeError> {
    let directory = tiff::Directory::first(head)?;
    let side = |tag| directory.number(tag).map(Option::unwrap_or_default);
    let orientation = directory
        .number(tiff::ORIENTATION)?
        .and_then(Orientation::from_exif)
        .unwrap_or_default();
    let has_alpha = directory.has(tiff::EXTRA_SAMPLES)?;
    Ok(ImageInfo {
        orientation,
        has_alpha,
        ..ImageInfo::still(Format::Tiff, side(tiff::WIDTH)?, side(tiff::HEIGHT)?)
    })
}

/// Reads the dimensions of an icon's largest image.
fn probe_ico(head: &[u8]) -> Result<ImageInfo, ProbeError> {
    let size = ico::largest(head)?.size(head)?;
    Ok(ImageInfo {
        has_alpha: true,
        lossless: true,
        ..ImageInfo::still(Format::Ico, size.width, size.height)
    })
}
