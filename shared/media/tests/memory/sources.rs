//! Images with noise, the worst case of all codecs.

use std::io::Cursor;

use image::DynamicImage;
use media::{Channels, EncodeOptions, Format, Pixels, encode};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    Jpeg,
    JpegWithFullChroma,
    GrayJpeg,
    ProgressiveJpeg,
    /// Progressive, with full chroma and an orientation that swaps the sides.
    RotatedJpeg,
    GrayPng,
    Png,
    PngWithAlpha,
    Gif,
    WebP,
    WebPWithAlpha,
    LosslessWebP,
    LosslessWebPWithAlpha,
    /// With one lossless frame.
    AnimatedWebP,
    Bmp,
    Tiff,
    GrayTiff,
    TiffWith16Bits,
}

impl SourceKind {
    /// Returns a file of this kind and size in pixels.
    pub(crate) fn file(self, width: u32, height: u32) -> Vec<u8> {
        let noise = |channels| noise(width, height, channels);
        let encoded = |channels, options: &EncodeOptions| encode(noise(channels), options).unwrap();
        let exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let progressive = EncodeOptions {
            progressive: true,
            ..to(Format::Jpeg, 80)
        };
        let lossless = EncodeOptions {
            lossless: true,
            ..to(Format::WebP, 80)
        };
        match self {
            SourceKind::Jpeg => encoded(Channels::Rgb, &to(Format::Jpeg, 80)),
            SourceKind::JpegWithFullChroma => encoded(Channels::Rgb, &to(Format::Jpeg, 95)),
            SourceKind::GrayJpeg => encoded(Channels::Gray, &to(Format::Jpeg, 80)),
            SourceKind::ProgressiveJpeg => encoded(Channels::Rgb, &progressive),
            SourceKind::RotatedJpeg => encoded(
                Channels::Rgb,
                &EncodeOptions {
                    quality: 95,
                    exif: Some(exif),
                    ..progressive
                },
            ),
            SourceKind::GrayPng => encoded(Channels::Gray, &to(Format::Png, 80)),
            SourceKind::Png => encoded(Channels::Rgb, &to(Format::Png, 80)),
            SourceKind::PngWithAlpha => encoded(Channels::Rgba, &to(Format::Png, 80)),
            SourceKind::Gif => encoded(Channels::Rgb, &to(Format::Gif, 80)),
            SourceKind::WebP => encoded(Channels::Rgb, &to(Format::WebP, 80)),
            SourceKind::WebPWithAlpha => encoded(Channels::Rgba, &to(Format::WebP, 80)),
            SourceKind::LosslessWebP => encoded(Channels::Rgb, &lossless),
            SourceKind::LosslessWebPWithAlpha => encoded(Channels::Rgba, &lossless),
            SourceKind::AnimatedWebP => animated(&encoded(Channels::Rgb, &lossless), width, height),
            SourceKind::Bmp => uncommon(noise(Channels::Rgb), image::ImageFormat::Bmp),
            SourceKind::Tiff => uncommon(noise(Channels::Rgb), image::ImageFormat::Tiff),
            SourceKind::GrayTiff => uncommon(noise(Channels::Gray), image::ImageFormat::Tiff),
            SourceKind::TiffWith16Bits => {
                let picture = dynamic(noise(Channels::Rgba));
                written(&picture.into_rgba16().into(), image::ImageFormat::Tiff)
            }
        }
    }
}

/// Returns an animated WebP whose frame is a still WebP of this size.
fn animated(still: &[u8], width: u32, height: u32) -> Vec<u8> {
    const FILE_HEADER: usize = 12;
    const ANIMATED: [u8; 4] = [2, 0, 0, 0];
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap().to_le_bytes();
        [kind, &length[..], data].concat()
    };
    let [width, height] = [width, height].map(|side| (side - 1).to_le_bytes());
    let sides = [&width[..3], &height[..3]].concat();

    let frame = [&[0; 6], &sides[..], &[0; 4], &still[FILE_HEADER..]].concat();
    let chunks = [
        chunk(b"VP8X", &[&ANIMATED[..], &sides].concat()),
        chunk(b"ANIM", &[0; 6]),
        chunk(b"ANMF", &frame),
    ];
    let content = [&b"WEBP"[..], &chunks.concat()].concat();
    chunk(b"RIFF", &content)
}

/// Returns the largest image of a watermark.
pub(crate) fn watermark() -> Vec<u8> {
    let picture = noise(2_000, 2_000, Channels::Rgba);
    encode(picture, &to(Format::Png, 80)).unwrap()
}

const fn to(format: Format, quality: u8) -> EncodeOptions<'static> {
    EncodeOptions {
        format,
        quality,
        progressive: false,
        lossless: false,
        exif: None,
    }
}

fn noise(width: u32, height: u32, channels: Channels) -> Pixels {
    let count = width as usize * height as usize * channels.count();
    let mut state = 1_u32;
    let samples = (0..count).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    Pixels {
        width,
        height,
        channels,
        samples: samples.collect(),
        profile: None,
    }
}

fn dynamic(pixels: Pixels) -> DynamicImage {
    let Pixels {
        width,
        height,
        channels,
        samples,
        ..
    } = pixels;
    match channels {
        Channels::Gray => image::GrayImage::from_raw(width, height, samples).map(Into::into),
        Channels::Rgb => image::RgbImage::from_raw(width, height, samples).map(Into::into),
        Channels::Rgba => image::RgbaImage::from_raw(width, height, samples).map(Into::into),
    }
    .unwrap()
}

fn uncommon(pixels: Pixels, format: image::ImageFormat) -> Vec<u8> {
    written(&dynamic(pixels), format)
}

fn written(picture: &DynamicImage, format: image::ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, format).unwrap();
    file.into_inner()
}
