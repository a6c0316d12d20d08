//! Encoding of still GIF images.

use std::{borrow::Cow, collections::HashMap};

use color_quant::NeuQuant;
use gif::{Encoder, Frame};

use crate::{color, error::MediaError, pixels::Pixels};

/// Maximum width and height, in pixels.
pub(super) const MAX_SIDE: u32 = 65_535;
/// Minimum alpha of visible pixels: GIF has no partial transparency.
const MIN_ALPHA: u8 = 128;
/// Maximum number of colors of a palette.
const MAX_COLORS: usize = 256;
/// High bits of a sample that select the nearest color of a palette.
const KEY_BITS: u32 = 6;
/// Fraction of the pixels from which a palette is chosen, 1 (all) to 30.
const SAMPLE_FACTOR: i32 = 10;

pub(super) fn encode(pixels: Pixels) -> Result<Vec<u8>, MediaError> {
    let width = u16::try_from(pixels.width).map_err(MediaError::encoding)?;
    let height = u16::try_from(pixels.height).map_err(MediaError::encoding)?;
    let quantized = quantize(pixels);

    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height, &[]).map_err(MediaError::encoding)?;
    let frame = Frame {
        width,
        height,
        palette: Some(quantized.palette),
        transparent: quantized.transparent,
        buffer: Cow::Owned(quantized.indices),
        ..Frame::default()
    };
    encoder.write_frame(&frame).map_err(MediaError::encoding)?;
    drop(encoder);
    Ok(file)
}

/// Pixels as indices of a palette.
pub(super) struct QuantizedPixels {
    /// Colors with three samples each.
    pub(super) palette: Vec<u8>,
    /// Index of the transparent color.
    pub(super) transparent: Option<u8>,
    /// One index per pixel.
    pub(super) indices: Vec<u8>,
}

impl QuantizedPixels {
    /// Adds a transparent color, unless there is one or the palette is full.
    pub(super) fn ensure_transparent_color(&mut self) {
        let count = self.palette.len() / 3;
        if self.transparent.is_none() && count < MAX_COLORS {
            self.palette.extend_from_slice(&[0; 3]);
            self.transparent = u8::try_from(count).ok();
        }
    }
}

/// Reduces pixels to at most 256 colors, one of them transparent if there are transparent pixels.
/// Images with few colors keep them exactly.
pub(super) fn quantize(pixels: Pixels) -> QuantizedPixels {
    let pixels = without_partial_transparency(pixels);
    let colors = pixels.samples.as_chunks::<4>().0;
    exact(colors).unwrap_or_else(|| reduced(colors))
}

/// Returns RGBA pixels, each of them either opaque or without color.
pub(super) fn without_partial_transparency(pixels: Pixels) -> Pixels {
    let mut pixels = color::with_alpha(pixels);
    for color in pixels.samples.as_chunks_mut::<4>().0 {
        if color[3] < MIN_ALPHA {
            *color = [0; 4];
        } else {
            color[3] = u8::MAX;
        }
    }
    pixels
}

/// Returns the pixels with a palette of all colors, if there are few.
fn exact(colors: &[[u8; 4]]) -> Option<QuantizedPixels> {
    let mut known: HashMap<[u8; 4], u8> = HashMap::new();
    let mut quantized = QuantizedPixels {
        palette: Vec::new(),
        transparent: None,
        indices: Vec::with_capacity(colors.len()),
    };

    for color in colors {
        let next = known.len();
        let index = match known.get(color) {
            Some(index) => *index,
            None if next == MAX_COLORS => return None,
            None => {
                let index = u8::try_from(next).ok()?;
                quantized.palette.extend_from_slice(&color[..3]);
                if color[3] == 0 {
                    quantized.transparent = Some(index);
                }
                known.insert(*color, index);
                index
            }
        };
        quantized.indices.push(index);
    }
    Some(quantized)
}

/// Returns the pixels with a palette of similar colors. The last one is transparent.
fn reduced(colors: &[[u8; 4]]) -> QuantizedPixels {
    let transparent = u8::MAX;
    let visible: Vec<[u8; 4]> = colors
        .iter()
        .filter(|color| color[3] != 0)
        .copied()
        .collect();
    let quantizer = NeuQuant::new(
        SAMPLE_FACTOR,
        usize::from(transparent),
        visible.as_flattened(),
    );
    let mut palette = quantizer.color_map_rgb();
    palette.resize(usize::from(transparent) * 3, 0);
    palette.extend_from_slice(&[0; 3]);

    let mut nearest = NearestColors::new(&quantizer);
    let indices = colors.iter().map(|color| {
        if color[3] == 0 {
            transparent
        } else {
            nearest.index_of(*color)
        }
    });
    QuantizedPixels {
        palette,
        transparent: Some(transparent),
        indices: indices.collect(),
    }
}

/// Nearest colors of a palette, found once for all colors that are equal in their high bits: a
/// noisy image has too many colors to search each of them.
struct NearestColors<'a> {
    quantizer: &'a NeuQuant,
    indices: Vec<Option<u8>>,
}

impl<'a> NearestColors<'a> {
    fn new(quantizer: &'a NeuQuant) -> NearestColors<'a> {
        NearestColors {
            quantizer,
            indices: vec![None; 1 << (3 * KEY_BITS)],
        }
    }

    fn index_of(&mut self, color: [u8; 4]) -> u8 {
        let [red, green, blue, _] = color.map(|sample| usize::from(sample >> (8 - KEY_BITS)));
        let key = (red << KEY_BITS | green) << KEY_BITS | blue;
        *self.indices[key]
            .get_or_insert_with(|| u8::try_from(self.quantizer.index_of(&color)).unwrap_or(0))
    }
}
