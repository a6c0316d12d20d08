//! WebP decoding.

use std::{
    borrow::Cow,
    io::{Cursor, ErrorKind},
};

use domain::naming::ImageSize;
use image_webp::{DecodingError, WebPDecoder};

use crate::{
    animation::Plays,
    bytes::le16,
    container::{
        Chunk,
        webp::{
            ANIMATION_FRAME_HEADER, AnimationFrameHeader, Chunks, HAS_ALPHA, IS_CLEARED, REPLACES,
            begin, end, extended_header, push, whole_chunks,
        },
    },
    error::{MediaError, ProbeError},
    pixels::{Channels, Pixels},
    probe::ImageInfo,
    webp_tables::{MAX_TABLE_BYTES, require_table_limit},
};

use super::{
    WORKING_BYTES,
    canvas::{Canvas, Disposal},
    require_size,
};

/// Offset of the number of times that an animation is shown, in bytes.
const PLAYS_OFFSET: usize = 4;

/// Decodes a still WebP from the chunks of its pixels alone, so that it does not matter what else
/// the header announces.
pub(super) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    let mut chunks = whole_chunks(bytes)?.peekable();
    let is_extended = chunks.peek().is_some_and(|first| first.kind == *b"VP8X");
    let still = if is_extended {
        Cow::Owned(still_file(bytes, chunks, probed.stored())?)
    } else {
        Cow::Borrowed(bytes)
    };
    Ok(Pixels {
        profile: profile(bytes),
        ..read_still(&still, probed.stored())?
    })
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

    Ok(pixels)
}

/// The frames of an animated WebP. They are decoded as still images and composited here, since the
/// decoder does not clear areas as specified.
pub(super) struct WebPFrames<'a> {
    bytes: &'a [u8],
    chunks: Chunks<'a>,
}

impl<'a> WebPFrames<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<WebPFrames<'a>, MediaError> {
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

        if canvas.begin_frame(header.area, disposal) != header.area {
            return Err(MediaError::malformed("a frame exceeds the canvas"));
        }
        let size = header.area.size();
        let still = still_file(self.bytes, chunks_of_frame(self.bytes, &chunk)?, size)?;
        let pixels = read_still(&still, size)?;
        canvas.draw(header.area, pixels, header.flags & REPLACES == 0);
        Ok(header.milliseconds)
    }

    /// Returns how often the animation is shown.
    pub(super) fn plays(&self) -> Plays {
        let plays = first(self.bytes, *b"ANIM")
            .and_then(|chunk| le16(self.bytes, chunk.data.start + PLAYS_OFFSET).ok());
        match plays {
            None | Some(0) => Plays::Forever,
            Some(times) => Plays::Times(times),
        }
    }

    /// Returns the color profile of the file.
    pub(super) fn profile(&self) -> Option<Vec<u8>> {
        profile(self.bytes)
    }
}

/// Returns the color profile of a file.
fn profile(bytes: &[u8]) -> Option<Vec<u8>> {
    let chunk = first(bytes, *b"ICCP")?;
    let profile = chunk.data(bytes).ok()?;
    Some(profile.to_vec())
}

/// Returns the first chunk of a kind.
fn first(bytes: &[u8], kind: [u8; 4]) -> Option<Chunk> {
    Chunks::of(bytes).ok()?.find(kind).ok()?
}

/// Returns the chunks of a frame of an animation, up to its pixels.
fn chunks_of_frame(bytes: &[u8], frame: &Chunk) -> Result<Vec<Chunk>, ProbeError> {
    let start = frame.data.start + ANIMATION_FRAME_HEADER;
    let mut chunks = Chunks::within(bytes, start..frame.data.end);
    let mut found = Vec::new();
    while let Some(chunk) = chunks.next()? {
        let has_pixels = matches!(&chunk.kind, b"VP8 " | b"VP8L");
        found.push(chunk);
        if has_pixels {
            break;
        }
    }
    Ok(found)
}

/// Returns a file with the pixels of an image or a frame, and with alpha if there is some.
fn still_file(
    bytes: &[u8],
    chunks: impl IntoIterator<Item = Chunk>,
    size: ImageSize,
) -> Result<Vec<u8>, MediaError> {
    let mut alpha = None;

    for chunk in chunks {
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
