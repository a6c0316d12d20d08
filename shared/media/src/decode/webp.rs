//! WebP decoding.

use std::io::{Cursor, ErrorKind};

use domain::ImageSize;
use image_webp::{DecodingError, WebPDecoder};

use crate::{
    ImageInfo, MediaError, ProbeError,
    animation::Plays,
    bytes::le16,
    container::{
        Chunk,
        webp::{
            ANIMATION_FRAME_HEADER, AnimationFrameHeader, Chunks, HAS_ALPHA, IS_CLEARED, REPLACES,
            begin, end, extended_header, push,
        },
    },
    pixels::{Channels, Pixels},
    require_complete,
    webp_tables::{MAX_TABLE_BYTES, require_table_limit},
};

use super::{
    WORKING_BYTES,
    canvas::{Canvas, Disposal},
    require_size,
};

/// Offset of the number of times that an animation is shown, in bytes.
const PLAYS_OFFSET: usize = 4;

/// Decodes a still WebP.
pub(super) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    // The decoder would report a truncated file as malformed.
    require_complete(bytes)?;
    read_still(bytes, probed.stored())
}

fn read_still(bytes: &[u8], size: ImageSize) -> Result<Pixels, MediaError> {
    require_table_limit(bytes, MAX_TABLE_BYTES)?;

    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(decode_error)?;
    decoder.set_memory_limit(WORKING_BYTES);
    let (width, height) = decoder.dimensions();
    require_size(size, width, height)?;

    let channels = if decoder.has_alpha() {
        Channels::Rgba
    } else {
        Channels::Rgb
    };
    let mut pixels = Pixels::zeroed(size, channels);
    decoder
        .read_image(&mut pixels.samples)
        .map_err(decode_error)?;

    // A profile over the memory limit is ignored.
    pixels.profile = decoder.icc_profile().ok().flatten();

    Ok(pixels)
}

/// The frames of an animated WebP. They are decoded as still images and composited here, since the
/// decoder does not clear areas as specified.
pub(super) struct WebPFrames<'a> {
    bytes: &'a [u8],
    chunks: Chunks<'a>,
}

impl<'a> WebPFrames<'a> {
    /// Fails if the file is truncated.
    pub(super) fn open(bytes: &'a [u8]) -> Result<WebPFrames<'a>, MediaError> {
        require_complete(bytes)?;
        Ok(WebPFrames {
            bytes,
            chunks: Chunks::of(bytes)?,
        })
    }

    /// Draws the next frame, and returns its duration in milliseconds.
    pub(super) fn draw_next(&mut self, canvas: &mut Canvas) -> Result<u32, MediaError> {
        let chunk = self
            .chunks
            .find(*b"ANMF")?
            .ok_or_else(|| MediaError::malformed("a WebP without a further frame"))?;
        let header = AnimationFrameHeader::read(self.bytes, &chunk)?;
        let disposal = if header.flags & IS_CLEARED == 0 {
            Disposal::Keep
        } else {
            Disposal::Clear
        };

        canvas.begin_frame(header.area, disposal)?;
        let size = header.area.size();
        let still = still_file(self.bytes, &chunk, size)?;
        let pixels = read_still(&still, size)?;
        canvas.draw(header.area, pixels, header.flags & REPLACES == 0);
        Ok(header.milliseconds)
    }

    /// Returns how often the animation is shown.
    pub(super) fn plays(&self) -> Plays {
        let plays = self
            .first(*b"ANIM")
            .and_then(|chunk| le16(self.bytes, chunk.data.start + PLAYS_OFFSET).ok());
        match plays {
            None | Some(0) => Plays::Forever,
            Some(times) => Plays::Times(times),
        }
    }

    /// Returns the color profile of the file.
    pub(super) fn profile(&self) -> Option<Vec<u8>> {
        let chunk = self.first(*b"ICCP")?;
        let profile = chunk.data(self.bytes).ok()?;
        Some(profile.to_vec())
    }

    fn first(&self, kind: [u8; 4]) -> Option<Chunk> {
        Chunks::of(self.bytes).ok()?.find(kind).ok()?
    }
}

/// Returns a file with a frame of an animation.
fn still_file(bytes: &[u8], frame: &Chunk, size: ImageSize) -> Result<Vec<u8>, MediaError> {
    let start = frame.data.start + ANIMATION_FRAME_HEADER;
    let mut chunks = Chunks::within(bytes, start..frame.data.end);
    let mut alpha = None;

    while let Some(chunk) = chunks.next()? {
        let data = chunk.data(bytes)?;
        match &chunk.kind {
            b"ALPH" => alpha = Some(data),
            b"VP8 " | b"VP8L" => {
                let mut file = begin();
                if let Some(alpha) = alpha.filter(|_| chunk.kind == *b"VP8 ") {
                    push(&mut file, *b"VP8X", &extended_header(HAS_ALPHA, size));
                    push(&mut file, *b"ALPH", alpha);
                }
                push(&mut file, chunk.kind, data);
                return Ok(end(file));
            }
            _ => {}
        }
    }
    Err(ProbeError::Malformed("a frame without pixels").into())
}

fn decode_error(error: DecodingError) -> MediaError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            MediaError::Truncated
        }
        error => MediaError::malformed(error),
    }
}
