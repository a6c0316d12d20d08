//! Renderings to measure: all decoders and modes, all encoders, and extreme aspect ratios.

use domain::{Focus, Gravity, Quality, Resize, Sides};
use media::Format;

use crate::sources::SourceKind;

/// A rendering.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) source: SourceKind,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) resize: Option<Resize>,
    pub(crate) format: Format,
    pub(crate) quality: Quality,
    pub(crate) has_watermark: bool,
}

/// Several renderings of one image.
#[derive(Clone, Debug)]
pub(crate) struct SharedCase {
    pub(crate) source: SourceKind,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) resizes: Vec<Option<Resize>>,
    pub(crate) format: Format,
}

const SOURCES: [SourceKind; 18] = [
    SourceKind::Jpeg,
    SourceKind::JpegWithFullChroma,
    SourceKind::GrayJpeg,
    SourceKind::ProgressiveJpeg,
    SourceKind::RotatedJpeg,
    SourceKind::GrayPng,
    SourceKind::Png,
    SourceKind::PngWithAlpha,
    SourceKind::Gif,
    SourceKind::WebP,
    SourceKind::WebPWithAlpha,
    SourceKind::LosslessWebP,
    SourceKind::LosslessWebPWithAlpha,
    SourceKind::AnimatedWebP,
    SourceKind::Bmp,
    SourceKind::Tiff,
    SourceKind::GrayTiff,
    SourceKind::TiffWith16Bits,
];

const CENTER: Focus = Focus::At(Gravity::Center);

const fn both(width: u32, height: u32) -> Sides {
    Sides::Both { width, height }
}

/// Returns one operation per mode.
fn modes() -> [Option<Resize>; 6] {
    [
        None,
        Some(Resize::Fit(both(200, 200))),
        Some(Resize::Fit(both(800, 800))),
        Some(Resize::Scale(both(1_400, 1_000))),
        Some(Resize::Fill {
            width: 8,
            height: 700,
            focus: Focus::Auto,
        }),
        Some(Resize::Crop {
            sides: both(500, 700),
            focus: CENTER,
        }),
    ]
}

/// Returns all renderings.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for source in SOURCES {
        for resize in modes() {
            cases.push(case(source, resize));
        }
        cases.extend(extremes(source));
    }

    for source in [
        SourceKind::GrayPng,
        SourceKind::Png,
        SourceKind::PngWithAlpha,
    ] {
        cases.extend(encodings(source));
    }
    for source in [
        SourceKind::Jpeg,
        SourceKind::GrayJpeg,
        SourceKind::RotatedJpeg,
        SourceKind::PngWithAlpha,
    ] {
        cases.push(Case {
            width: 4_000,
            height: 3_000,
            has_watermark: true,
            ..case(source, Some(Resize::Fit(both(1_600, 1_600))))
        });
    }
    cases
}

fn case(source: SourceKind, resize: Option<Resize>) -> Case {
    Case {
        source,
        width: 1_200,
        height: 900,
        resize,
        format: Format::Png,
        quality: Quality::Fixed(80),
        has_watermark: false,
    }
}

/// Returns renderings of very wide and very high images.
fn extremes(source: SourceKind) -> Vec<Case> {
    let is_webp = matches!(
        source,
        SourceKind::WebP
            | SourceKind::WebPWithAlpha
            | SourceKind::LosslessWebP
            | SourceKind::LosslessWebPWithAlpha
            | SourceKind::AnimatedWebP
    );
    let side = if is_webp { 16_000 } else { 65_000 };
    let scaled = |width, height, resize| Case {
        width,
        height,
        ..case(source, Some(resize))
    };
    vec![
        scaled(side, 20, Resize::Scale(both(1, 1_000))),
        scaled(1, side, Resize::Fit(both(100, 100))),
    ]
}

/// Returns renderings in all formats and at all qualities that matter.
fn encodings(source: SourceKind) -> Vec<Case> {
    let mut cases = Vec::new();
    for (format, quality) in [
        (Format::Jpeg, 80),
        (Format::Jpeg, 100),
        (Format::Png, 80),
        (Format::WebP, 80),
        (Format::WebP, 100),
        (Format::Avif, 80),
        (Format::Avif, 100),
        (Format::Gif, 80),
    ] {
        let is_slow = format == Format::Avif;
        let unmarked = Case {
            width: if is_slow { 300 } else { 1_200 },
            height: if is_slow { 200 } else { 900 },
            format,
            quality: Quality::Fixed(quality),
            ..case(source, None)
        };
        if format == Format::Jpeg {
            cases.push(Case {
                has_watermark: true,
                ..unmarked.clone()
            });
        }
        cases.push(unmarked);
    }
    cases
}

/// Returns shared renderings of all sources: thumbnails of a large image, and outputs in full size.
pub(crate) fn shared_cases() -> Vec<SharedCase> {
    let thumbnails = vec![
        Some(Resize::Fit(both(800, 800))),
        Some(Resize::Fit(both(200, 200))),
        Some(Resize::Fill {
            width: 300,
            height: 300,
            focus: Focus::Auto,
        }),
    ];
    let full = vec![None, Some(Resize::Fit(both(200, 200)))];

    SOURCES
        .into_iter()
        .zip(
            [Format::Jpeg, Format::WebP, Format::Png]
                .into_iter()
                .cycle(),
        )
        .flat_map(|(source, format)| {
            let case = |resizes: &Vec<Option<Resize>>| SharedCase {
                source,
                width: 1_600,
                height: 1_200,
                resizes: resizes.clone(),
                format,
            };
            [case(&thumbnails), case(&full)]
        })
        .collect()
}
