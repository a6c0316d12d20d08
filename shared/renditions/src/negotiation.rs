//! Formats of a rendering, the preferred one first.

use domain::{ImageFormat, Variant};
use media::{Dimensions, Format, Frames, ImageInfo, MAX_NEGOTIATED_AVIF_PIXELS};

/// Returns the formats in which a variant may be rendered: the requested one alone, or the negotiated
/// one followed by its substitutes, if the image exceeds its limits. The last one is PNG, which has no
/// limit of sides.
pub(crate) fn formats(variant: Variant, info: &ImageInfo) -> Vec<Format> {
    let preferred = format_of(variant.format);
    if !variant.is_negotiated() {
        return vec![preferred];
    }

    let webp = (preferred == Format::Avif && variant.accepts_webp).then_some(Format::WebP);
    let candidates = [
        Some(preferred),
        webp,
        Some(delivered(info.format)),
        Some(Format::Png),
    ];
    let mut formats = Vec::new();
    for format in candidates.into_iter().flatten() {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    formats
}

/// Whether an image is delivered in a negotiated format: not as AVIF if that takes too long, or if
/// the image is animated.
pub(crate) fn suits(format: Format, info: &ImageInfo, output: Dimensions) -> bool {
    let is_small = output.pixels() <= MAX_NEGOTIATED_AVIF_PIXELS;
    let is_animated =
        matches!(info.format, Format::Gif | Format::WebP) && info.frames != Frames::Still;
    format != Format::Avif || (is_small && !is_animated)
}

pub(crate) fn format_of(format: ImageFormat) -> Format {
    match format {
        ImageFormat::Jpeg => Format::Jpeg,
        ImageFormat::Png => Format::Png,
        ImageFormat::WebP => Format::WebP,
        ImageFormat::Avif => Format::Avif,
        ImageFormat::Gif => Format::Gif,
    }
}

/// Returns the format of an original, or PNG for formats that browsers do not show.
fn delivered(original: Format) -> Format {
    match original {
        Format::Jpeg | Format::WebP | Format::Gif => original,
        Format::Png | Format::Avif | Format::Heic | Format::Bmp | Format::Tiff | Format::Ico => {
            Format::Png
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Transformation;
    use media::Orientation;

    use super::*;

    fn info(format: Format) -> ImageInfo {
        ImageInfo {
            format,
            width: 400,
            height: 300,
            orientation: Orientation::Normal,
            frames: Frames::Still,
            has_alpha: false,
            progressive: false,
            lossless: false,
        }
    }

    fn negotiated(format: ImageFormat, accepts_webp: bool) -> Variant {
        Variant {
            transformation: Some(Transformation::default()),
            format,
            accepts_webp,
            watermark: None,
            may_enlarge: true,
            output: None,
        }
    }

    #[test]
    fn negotiated_format_falls_back_to_accepted_formats() {
        use Format::{Avif, Gif, Jpeg, Png, Tiff, WebP};

        for (format, accepts_webp, original, expected) in [
            (ImageFormat::Avif, true, Jpeg, &[Avif, WebP, Jpeg, Png][..]),
            (ImageFormat::Avif, false, Jpeg, &[Avif, Jpeg, Png]),
            (ImageFormat::Avif, true, Tiff, &[Avif, WebP, Png]),
            (ImageFormat::Avif, false, Gif, &[Avif, Gif, Png]),
            (ImageFormat::WebP, true, Jpeg, &[WebP, Jpeg, Png]),
            (ImageFormat::Jpeg, true, Jpeg, &[Jpeg, Png]),
            (ImageFormat::Png, false, Png, &[Png]),
        ] {
            let variant = negotiated(format, accepts_webp);
            let found = formats(variant, &info(original));
            assert_eq!(found, expected, "{format:?} {accepts_webp} {original:?}");
        }
    }

    #[test]
    fn requested_format_has_no_substitute() {
        let requested = Variant {
            transformation: Some(Transformation {
                format: Some(ImageFormat::Avif),
                ..Transformation::default()
            }),
            ..negotiated(ImageFormat::Avif, true)
        };
        let marked_original = Variant {
            transformation: None,
            ..negotiated(ImageFormat::Jpeg, true)
        };

        assert_eq!(formats(requested, &info(Format::Jpeg)), [Format::Avif]);
        assert_eq!(
            formats(marked_original, &info(Format::Jpeg)),
            [Format::Jpeg]
        );
    }

    #[test]
    fn only_small_still_images_are_negotiated_as_avif() {
        let small = Dimensions {
            width: 2_000,
            height: 1_000,
        };
        let large = Dimensions {
            width: 2_001,
            height: 1_000,
        };
        let still = info(Format::Gif);
        let animated = ImageInfo {
            frames: Frames::Animated,
            ..still
        };

        assert!(suits(Format::Avif, &still, small));
        assert!(!suits(Format::Avif, &still, large));
        assert!(!suits(Format::Avif, &animated, small));
        assert!(suits(Format::WebP, &animated, large));
    }
}
