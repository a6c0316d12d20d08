//! What a viewer shows of rendered animations: decoded without the decoders under test.

use domain::renditions::Quality;
use media::{
    format::Format,
    probe::{Frames, probe},
    render::{RenderOptions, render},
};

use crate::{animation_files::CLEAR, files};

const BLACK: [u8; 4] = [0, 0, 0, 255];

/// An animation as a viewer shows it.
pub(crate) struct Shown {
    pub(crate) frames: Vec<ShownFrame>,
    /// How often it is shown; 0 is without end.
    pub(crate) plays: u32,
}

/// What a viewer shows at one time.
pub(crate) struct ShownFrame {
    /// Samples of the RGBA canvas.
    samples: Vec<u8>,
    width: u32,
    pub(crate) milliseconds: u32,
}

impl ShownFrame {
    pub(crate) fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let at = (y * self.width + x) as usize;
        self.samples.as_chunks().0[at]
    }
}

/// Returns the frames of a GIF or WebP, composited here or by libwebp.
pub(crate) fn shown(file: &[u8]) -> Shown {
    if file.starts_with(b"GIF") {
        shown_gif(file)
    } else {
        shown_webp(file)
    }
}

fn shown_gif(file: &[u8]) -> Shown {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(file).unwrap();
    let width = usize::from(decoder.width());
    let mut canvas = vec![CLEAR; width * usize::from(decoder.height())];
    let mut frames = Vec::new();

    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let before = canvas.clone();
        let mut covered = Vec::new();
        for (index, color) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
            let column = usize::from(frame.left) + index % usize::from(frame.width);
            let row = usize::from(frame.top) + index / usize::from(frame.width);
            covered.push(row * width + column);
            if color[3] != 0 {
                canvas[row * width + column] = *color;
            }
        }
        frames.push(ShownFrame {
            samples: canvas.concat(),
            width: u32::try_from(width).unwrap(),
            milliseconds: u32::from(frame.delay) * 10,
        });
        match frame.dispose {
            gif::DisposalMethod::Background => {
                // Some decoders clear frames without a transparent color to an opaque one.
                let background = frame.transparent.map_or(BLACK, |_| CLEAR);
                for at in covered {
                    canvas[at] = background;
                }
            }
            gif::DisposalMethod::Previous => canvas = before,
            gif::DisposalMethod::Any | gif::DisposalMethod::Keep => {}
        }
    }
    let plays = match decoder.repeat() {
        gif::Repeat::Infinite => 0,
        gif::Repeat::Finite(repetitions) => u32::from(repetitions) + 1,
    };
    Shown { frames, plays }
}

fn shown_webp(file: &[u8]) -> Shown {
    let decoder = webp::AnimDecoder::new(file);
    let animation = decoder.decode().unwrap();
    let mut start = 0;
    let frames = animation.into_iter().map(|frame| {
        // libwebp returns when a frame ends.
        let milliseconds = frame.get_time_ms() - start;
        start = frame.get_time_ms();
        ShownFrame {
            samples: frame.get_image().to_vec(),
            width: frame.width(),
            milliseconds: milliseconds.try_into().unwrap(),
        }
    });

    Shown {
        frames: frames.collect(),
        plays: animation.loop_count,
    }
}

/// Returns options that keep the size.
pub(crate) const fn to(format: Format) -> RenderOptions<'static> {
    RenderOptions {
        quality: Quality::Fixed(100),
        ..files::to(format)
    }
}

/// Renders an animation as a viewer shows it.
pub(crate) fn rendered(file: &[u8], options: &RenderOptions) -> Shown {
    let rendered = render(file, options).unwrap();
    let probed = probe(&rendered.bytes).unwrap();
    assert_eq!(probed.format, options.format);
    assert_eq!(rendered.format, options.format);
    assert_eq!(probed.frames, Frames::Animated);
    assert_eq!(
        (probed.width, probed.height),
        (rendered.width, rendered.height)
    );
    shown(&rendered.bytes)
}

/// Whether colors are equal, except for the loss of an encoder.
pub(crate) fn is_close(found: [u8; 4], expected: [u8; 4]) -> bool {
    let close = found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 24);
    close || (found[3] == 0 && expected[3] == 0)
}

/// Asserts that a viewer of the animation sees these colors at these positions, frame by frame.
pub(crate) fn assert_colors(shown: &Shown, expected: &[&[(u32, u32, [u8; 4])]], context: &str) {
    assert_eq!(shown.frames.len(), expected.len(), "{context}");
    for (index, (frame, expected)) in shown.frames.iter().zip(expected).enumerate() {
        for (x, y, color) in *expected {
            let found = frame.pixel(*x, *y);
            assert!(
                is_close(found, *color),
                "{context}: frame {index} at {x}, {y}: {found:?} instead of {color:?}"
            );
        }
    }
}
