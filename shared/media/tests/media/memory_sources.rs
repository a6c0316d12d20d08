//! Images with noise, the worst case of all codecs.

use std::io::Cursor;

use domain::naming::ImageSize;
use image::{DynamicImage, ImageFormat};
use media::{
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
};

use crate::{
    files,
    heic_files::{Item, heic},
};

/// A kind of file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    channels: Channels,
    coding: Coding,
}

/// How a file is written.
#[derive(Clone, Copy, Debug)]
enum Coding {
    Plain(Format, u8),
    Progressive,
    /// Progressive, with full chroma, and turned.
    Turned,
    LosslessWebP,
    /// A WebP with one lossless frame.
    Animated,
    /// With the `image` crate.
    Uncommon(ImageFormat),
    /// A TIFF with 16 bits per channel.
    Wide,
    /// A HEIC that repeats one tile.
    Tiles,
}

const fn source(channels: Channels, coding: Coding) -> Source {
    Source { channels, coding }
}

pub(crate) const SOURCES: [Source; 21] = [
    source(Channels::Rgb, Coding::Plain(Format::Jpeg, 80)),
    source(Channels::Rgb, Coding::Plain(Format::Jpeg, 95)),
    source(Channels::Gray, Coding::Plain(Format::Jpeg, 80)),
    source(Channels::Rgb, Coding::Progressive),
    source(Channels::Rgb, Coding::Turned),
    source(Channels::Gray, Coding::Plain(Format::Png, 80)),
    source(Channels::Rgb, Coding::Plain(Format::Png, 80)),
    source(Channels::Rgba, Coding::Plain(Format::Png, 80)),
    source(Channels::Rgb, Coding::Plain(Format::Gif, 80)),
    source(Channels::Rgb, Coding::Plain(Format::WebP, 80)),
    source(Channels::Rgba, Coding::Plain(Format::WebP, 80)),
    source(Channels::Rgb, Coding::LosslessWebP),
    source(Channels::Rgba, Coding::LosslessWebP),
    source(Channels::Rgb, Coding::Animated),
    source(Channels::Rgb, Coding::Uncommon(ImageFormat::Bmp)),
    source(Channels::Rgb, Coding::Uncommon(ImageFormat::Tiff)),
    source(Channels::Gray, Coding::Uncommon(ImageFormat::Tiff)),
    source(Channels::Rgba, Coding::Wide),
    source(Channels::Rgb, Coding::Tiles),
    source(Channels::Rgb, Coding::Plain(Format::Avif, 95)),
    source(Channels::Rgba, Coding::Plain(Format::Avif, 80)),
];

impl Source {
    pub(crate) fn is_png(self) -> bool {
        matches!(self.coding, Coding::Plain(Format::Png, _))
    }

    /// Returns a side that is long for this kind, in pixels.
    pub(crate) fn long_side(self) -> u32 {
        match self.coding {
            Coding::Plain(Format::WebP, _) | Coding::LosslessWebP | Coding::Animated => 16_000,
            Coding::Plain(Format::Avif, _) => 32_000,
            Coding::Tiles => 12_000,
            _ => 65_000,
        }
    }

    /// Returns a file of this kind and size in pixels.
    pub(crate) fn file(self, width: u32, height: u32) -> Vec<u8> {
        let picture = noise(width, height, self.channels);
        let progressive = |quality| EncodeOptions {
            quality,
            ..files::progressive()
        };

        let options = match self.coding {
            Coding::Plain(format, quality) => EncodeOptions::new(format, quality),
            Coding::Progressive => progressive(80),
            Coding::Turned => return files::turned(picture, 6, &progressive(95)),
            Coding::LosslessWebP => files::lossless(),
            Coding::Animated => return animated(&encode(picture, &files::lossless()).unwrap()),
            Coding::Uncommon(format) => return written(&dynamic(picture), format),
            Coding::Tiles => {
                let count = |side: u32, tile| u16::try_from(side.div_ceil(tile)).unwrap();
                let [wide, high] = [width, height].map(|side| u16::try_from(side).unwrap());
                let grid = Item::grid(count(height, 64), count(width, 96), wide, high);
                return heic(&[Item::picture(96, 64), grid], 2);
            }
            Coding::Wide => {
                let wide = dynamic(picture).into_rgba16();
                return written(&wide.into(), ImageFormat::Tiff);
            }
        };

        encode(picture, &options).unwrap()
    }
}

/// Returns an animated WebP whose frame is a lossless WebP.
fn animated(still: &[u8]) -> Vec<u8> {
    const FILE_HEADER: usize = 12;
    const ANIMATED: [u8; 4] = [2, 0, 0, 0];
    let media::probe::ImageInfo { width, height, .. } = media::probe::probe(still).unwrap();
    let [width, height] = [width, height].map(|side| (side - 1).to_le_bytes());
    let sides = [&width[..3], &height[..3]].concat();

    files::webp(&[
        (*b"VP8X", &[&ANIMATED[..], &sides].concat()),
        (*b"ANIM", &[0; 6]),
        (
            *b"ANMF",
            &[&[0; 6], &sides[..], &[0; 4], &still[FILE_HEADER..]].concat(),
        ),
    ])
}

/// Returns the largest image of a watermark.
pub(crate) fn watermark() -> Vec<u8> {
    let picture = noise(2_000, 2_000, Channels::Rgba);
    files::png(picture)
}

fn noise(width: u32, height: u32, channels: Channels) -> Pixels {
    let count = width as usize * height as usize * channels.count();
    let mut state = 1_u32;
    let samples = (0..count).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    Pixels::new(ImageSize::new(width, height), channels, samples.collect())
}

fn dynamic(pixels: Pixels) -> DynamicImage {
    let (width, height, samples) = (pixels.width, pixels.height, pixels.samples);
    match pixels.channels {
        Channels::Gray => image::GrayImage::from_raw(width, height, samples).map(Into::into),
        Channels::Rgb => image::RgbImage::from_raw(width, height, samples).map(Into::into),
        Channels::Rgba => image::RgbaImage::from_raw(width, height, samples).map(Into::into),
    }
    .unwrap()
}

fn written(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, format).unwrap();
    file.into_inner()
}
