//! Encoding of animated WebP files: each frame is encoded as a still image.
//!
//! The animation encoder of libwebp is not used: it merges equal frames.

use crate::{
    animation::Plays,
    container::webp::{
        ANIMATED, AnimationFrameHeader, Chunks, HAS_ALPHA, REPLACES, begin, end, extended_header,
        frame, push,
    },
    encode::{EncodeOptions, require_side_of_format, webp},
    error::MediaError,
    format::Format,
    pixels::{Pixels, Rectangle},
};

use super::{
    AnimationOptions,
    difference::{NO_DIFFERENCE, area},
};

/// Encoder of an animated WebP.
pub(crate) struct WebPAnimation {
    options: AnimationOptions,
    /// Chunks of the frames.
    frames: Vec<u8>,
    has_alpha: bool,
    previous: Option<Pixels>,
}

impl WebPAnimation {
    pub(super) fn new(options: &AnimationOptions) -> Result<WebPAnimation, MediaError> {
        require_side_of_format(Format::WebP, options.size)?;
        Ok(WebPAnimation {
            options: *options,
            frames: Vec::new(),
            has_alpha: false,
            previous: None,
        })
    }

    /// Appends a frame, which replaces the pixels in the area that differs.
    pub(super) fn push(&mut self, pixels: Pixels, milliseconds: u32) -> Result<(), MediaError> {
        let area = match &self.previous {
            None => Rectangle::whole(pixels.size()),
            Some(previous) => {
                let different = area(previous, &pixels, |before, after| before != after);
                with_even_position(different.unwrap_or(NO_DIFFERENCE))
            }
        };
        let header = AnimationFrameHeader {
            area,
            milliseconds,
            flags: REPLACES,
        };

        let encoding = EncodeOptions::new(Format::WebP, self.options.quality);
        let still = webp::encode(pixels.part(area), &encoding)?;
        let mut data = header.to_bytes().to_vec();
        let mut chunks = Chunks::of(&still)?;
        while let Some(chunk) = chunks.next()? {
            self.has_alpha |= match &chunk.kind {
                b"ALPH" => true,
                b"VP8L" => frame(&still, &chunk)?.has_alpha,
                b"VP8 " => false,
                _ => continue,
            };
            push(&mut data, chunk.kind, chunk.data(&still)?);
        }

        push(&mut self.frames, *b"ANMF", &data);
        self.previous = Some(pixels);
        Ok(())
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let alpha = if self.has_alpha { HAS_ALPHA } else { 0 };
        let header = extended_header(ANIMATED | alpha, self.options.size);
        let times = match self.options.plays {
            Plays::Forever => 0,
            Plays::Times(times) => times,
        };
        let [low, high] = times.to_le_bytes();

        let mut file = begin();
        push(&mut file, *b"VP8X", &header);
        // A transparent background, and how often the animation is shown.
        push(&mut file, *b"ANIM", &[0, 0, 0, 0, low, high]);
        file.extend_from_slice(&self.frames);
        end(file)
    }
}

/// Returns an area that contains another one, at a position that the format can express.
fn with_even_position(area: Rectangle) -> Rectangle {
    Rectangle {
        left: area.left & !1,
        top: area.top & !1,
        width: area.width + area.left % 2,
        height: area.height + area.top % 2,
    }
}
