//! Animated GIF and WebP files for the tests.

use media::{encode::encode, format::Format};

use crate::files;

pub(crate) const FORMATS: [Format; 2] = [Format::Gif, Format::WebP];
pub(crate) const RED: [u8; 4] = [255, 0, 0, 255];
pub(crate) const GREEN: [u8; 4] = [0, 255, 0, 255];
pub(crate) const BLUE: [u8; 4] = [0, 0, 255, 255];
pub(crate) const CLEAR: [u8; 4] = [0; 4];

/// Palette of the GIFs: red, green, blue and a transparent color.
const PALETTE: [u8; 12] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9];
const TRANSPARENT: u8 = 3;

/// A frame of one color with a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    pub(crate) color: [u8; 4],
    pub(crate) left: u16,
    pub(crate) top: u16,
    pub(crate) width: u16,
    pub(crate) height: u16,
    /// In hundredths of a second.
    pub(crate) delay: u16,
    pub(crate) dispose: gif::DisposalMethod,
}

/// Returns a frame that stays.
pub(crate) const fn patch(color: [u8; 4], [left, top, width, height]: [u16; 4]) -> Patch {
    Patch {
        color,
        left,
        top,
        width,
        height,
        delay: 10,
        dispose: gif::DisposalMethod::Keep,
    }
}

/// Returns a GIF of these frames; without `repeat` it is shown once.
pub(crate) fn gif(
    width: u16,
    height: u16,
    patches: &[Patch],
    repeat: Option<gif::Repeat>,
) -> Vec<u8> {
    let mut encoder = gif::Encoder::new(Vec::new(), width, height, &PALETTE).unwrap();
    if let Some(repeat) = repeat {
        encoder.set_repeat(repeat).unwrap();
    }

    for patch in patches {
        let index = match patch.color {
            RED => 0,
            GREEN => 1,
            BLUE => 2,
            _ => TRANSPARENT,
        };
        let indices = vec![index; usize::from(patch.width) * usize::from(patch.height)];

        let mut frame =
            gif::Frame::from_indexed_pixels(patch.width, patch.height, indices, Some(TRANSPARENT));
        frame.left = patch.left;
        frame.top = patch.top;
        frame.delay = patch.delay;
        frame.dispose = patch.dispose;
        encoder.write_frame(&frame).unwrap();
    }

    encoder.into_inner().unwrap()
}

/// Flags of a WebP's frame that replaces the pixels below it.
pub(crate) const REPLACES: u8 = 2;
/// Flags of a WebP's frame that is cleared before the next one.
pub(crate) const IS_CLEARED: u8 = 1;

/// Returns a WebP's lossless frame of one color, whose position is even.
pub(crate) fn webp_frame(patch: Patch, flags: u8) -> Vec<u8> {
    let pixels = files::solid(patch.color, patch.width.into(), patch.height.into());
    let still = encode(pixels, &files::lossless()).unwrap();

    let numbers = [
        u32::from(patch.left) / 2,
        u32::from(patch.top) / 2,
        u32::from(patch.width) - 1,
        u32::from(patch.height) - 1,
        u32::from(patch.delay) * 10,
    ];
    let mut frame: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes()[..3].to_vec())
        .collect();
    frame.push(flags);
    frame.extend_from_slice(&still[12..]);
    frame
}

/// Returns a WebP of these frames, which is shown `plays` times.
pub(crate) fn webp(width: u8, height: u8, frames: &[Vec<u8>], plays: u8) -> Vec<u8> {
    files::webp_of_frames(0x12, [width, height], plays, frames, &[])
}
