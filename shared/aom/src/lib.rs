//! AV1 encoding of still images with libaom, as a safe interface to its C functions.
//!
//! Invariants:
//! - An image is encoded on the calling thread.
//! - A [`Frame`] contains as many samples as libaom reads for its size.

mod encoder;

use encoder::Encoder;

/// Maximum quantizer: the lowest quality.
pub const MAX_QUANTIZER: u8 = 63;
/// Fastest speed of still images. 0 is the slowest.
pub const MAX_SPEED: u8 = 9;

/// The reason for which libaom did not encode an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("libaom: {0}")]
pub struct EncodeError(&'static str);

/// Samples of the chroma planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chroma {
    /// None: the image is gray.
    None,
    /// One for two by two pixels (4:2:0).
    Half,
    /// One for each pixel (4:4:4).
    Full,
}

/// How an image is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Up to [`MAX_SPEED`].
    pub speed: u8,
    /// Up to [`MAX_QUANTIZER`].
    pub quantizer: u8,
}

/// An image with 8 bits per sample, which use their full range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: u32,
    height: u32,
    chroma: Chroma,
    /// The planes one after the other, their rows without gaps.
    samples: Vec<u8>,
}

impl Frame {
    /// Creates a frame of this size in pixels, with samples of zero.
    pub fn new(width: u32, height: u32, chroma: Chroma) -> Frame {
        let mut frame = Frame {
            width,
            height,
            chroma,
            samples: Vec::new(),
        };
        let [luma, chroma] = frame.plane_sizes();
        frame
            .samples
            .resize(luma.samples() + 2 * chroma.samples(), 0);
        frame
    }

    /// Returns the rows of the planes: luma, blue difference and red difference. With half the
    /// chroma, an odd width or height of the image is rounded up to an even one.
    pub fn planes(&mut self) -> [impl Iterator<Item = &mut [u8]>; 3] {
        let [luma_size, chroma_size] = self.plane_sizes();
        let (luma, chroma) = self.samples.split_at_mut(luma_size.samples());
        let (blue, red) = chroma.split_at_mut(chroma_size.samples());
        [(luma, luma_size), (blue, chroma_size), (red, chroma_size)]
            .map(|(plane, size)| plane.chunks_exact_mut(size.width.max(1)))
    }

    /// Encodes the frame as a still image: a sequence header and a frame.
    pub fn encode(&self, options: Options) -> Result<Vec<u8>, EncodeError> {
        Encoder::new(self, options)?.encode(self)
    }

    /// Returns the sizes of luma and of a chroma plane, in samples.
    fn plane_sizes(&self) -> [PlaneSize; 2] {
        let width = self.width as usize;
        let height = self.height as usize;

        match self.chroma {
            Chroma::Full => [PlaneSize { width, height }; 2],
            // libaom reads the chroma of gray images too.
            Chroma::Half | Chroma::None => {
                let width = width.div_ceil(2);
                let height = height.div_ceil(2);
                [
                    PlaneSize {
                        width: 2 * width,
                        height: 2 * height,
                    },
                    PlaneSize { width, height },
                ]
            }
        }
    }
}

#[derive(Clone, Copy)]
struct PlaneSize {
    width: usize,
    height: usize,
}

impl PlaneSize {
    fn samples(self) -> usize {
        self.width * self.height
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_of_every_size_is_encoded() {
        for (width, height) in [(1, 1), (2, 1), (1, 3), (17, 16), (65, 130)] {
            for chroma in [Chroma::None, Chroma::Half, Chroma::Full] {
                let frame = Frame::new(width, height, chroma);
                let options = Options {
                    speed: MAX_SPEED,
                    quantizer: MAX_QUANTIZER,
                };
                let bytes = frame.encode(options).unwrap();
                // A temporal delimiter and a sequence header precede the frame.
                assert_eq!(bytes[..3], [0x12, 0, 0x0a], "{width}x{height} {chroma:?}");
            }
        }
    }

    #[test]
    fn invalid_options_are_errors() {
        let frame = Frame::new(8, 8, Chroma::Half);
        let valid = Options {
            speed: MAX_SPEED,
            quantizer: MAX_QUANTIZER,
        };

        for options in [
            Options {
                quantizer: MAX_QUANTIZER + 1,
                ..valid
            },
            Options { speed: 13, ..valid },
        ] {
            assert!(frame.encode(options).is_err(), "{options:?}");
        }

        assert!(Frame::new(0, 8, Chroma::Half).encode(valid).is_err());
        assert!(Frame::new(65_537, 1, Chroma::Half).encode(valid).is_err());
    }
}
