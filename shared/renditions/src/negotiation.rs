//! Formats of a rendering, the preferred one first.

use domain::{
    naming::ImageSize,
    renditions::{ImageFormat, Rendition},
};
use media::{
    encode::supports_sides,
    format::Format,
    pixels::MAX_NEGOTIATED_AVIF_PIXELS,
    probe::{Frames, ImageInfo},
};

/// Maximum number of pixels of an output whose negotiated format is final.
const MAX_FINAL_PIXELS: u64 = 10_000_000;
/// Maximum number of pixels of its original, and of one in HEIC or AVIF, which takes several times
/// as long to decode. Within these limits, a rendering is estimated at less than the maximum time,
/// so that no substitute is needed; only a file of unusually many scans, slices or frames may
/// exceed it, and is rejected.
const MAX_FINAL_SOURCE_PIXELS: u64 = 50_000_000;
const MAX_FINAL_HEIF_SOURCE_PIXELS: u64 = 15_000_000;

/// Returns the format of originals of a MIME type, if it restricts how they are rendered.
pub(crate) fn restricting_format(mime_type: &str) -> Option<Format> {
    let extension = formats::by_mime_type(mime_type)?.extension();
    let formats = [Format::Gif, Format::WebP, Format::Heic, Format::Avif];
    formats
        .into_iter()
        .find(|format| format.name() == extension)
}

/// Returns the formats in which a rendition of an original of this type may be rendered: its own
/// alone if no other one replaces it, else followed by its substitutes, if the image exceeds its
/// limits. The last one is PNG, which has no limit of sides.
pub(crate) fn formats(
    rendition: Rendition,
    original_mime_type: &str,
    has_alpha: Option<bool>,
) -> Vec<ImageFormat> {
    let preferred = rendition.format;
    if !rendition.is_replaceable() {
        return vec![preferred];
    }

    let is_replaced_by_webp = preferred == ImageFormat::Avif && rendition.accepts_webp;
    let shown = ImageFormat::of_original(original_mime_type, has_alpha);
    let is_replaced_by_jpeg = shown == ImageFormat::Avif && has_alpha != Some(true);
    let candidates = [
        Some(preferred),
        is_replaced_by_webp.then_some(ImageFormat::WebP),
        Some(shown),
        is_replaced_by_jpeg.then_some(ImageFormat::Jpeg),
        Some(ImageFormat::Png),
    ];
    let mut formats = Vec::new();
    for format in candidates.into_iter().flatten() {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    formats
}

/// Whether a negotiated format suits an output of this size: its sides, and AVIF does not take too
/// long.
pub(crate) fn suits_size(format: ImageFormat, output: ImageSize) -> bool {
    let is_slow = format == ImageFormat::Avif && output.pixels() > MAX_NEGOTIATED_AVIF_PIXELS;
    supports_sides(format_of(format), output) && !is_slow
}

/// Whether an image is delivered in a negotiated format, in this size: not as AVIF if it is
/// animated, and a HEIC or AVIF with alpha not as JPEG.
pub(crate) fn suits(format: ImageFormat, info: &ImageInfo, output: ImageSize) -> bool {
    let is_animated = may_be_animated(info.format) && info.frames != Frames::Still;
    let loses_alpha = is_heif(info.format) && info.has_alpha;
    suits_size(format, output)
        && (format != ImageFormat::Avif || !is_animated)
        && (format != ImageFormat::Jpeg || !loses_alpha)
}

/// Whether a negotiated format that suits the size of the output has no substitutes: an image of
/// the original's format may be animated, which does not suit AVIF, and a large one may take too
/// long.
pub(crate) fn is_final(
    format: ImageFormat,
    original: Option<Format>,
    source: ImageSize,
    output: ImageSize,
) -> bool {
    let max_source_pixels = if original.is_some_and(is_heif) {
        MAX_FINAL_HEIF_SOURCE_PIXELS
    } else {
        MAX_FINAL_SOURCE_PIXELS
    };
    (format != ImageFormat::Avif || !original.is_some_and(may_be_animated))
        && source.pixels() <= max_source_pixels
        && output.pixels() <= MAX_FINAL_PIXELS
}

/// Whether images of a format are rendered with all their frames.
fn may_be_animated(format: Format) -> bool {
    matches!(format, Format::Gif | Format::WebP)
}

/// Whether images of a format take long to decode, and may have alpha although they are mostly
/// delivered as JPEG.
pub(crate) fn is_heif(format: Format) -> bool {
    matches!(format, Format::Heic | Format::Avif)
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

#[cfg(test)]
mod tests {
    use domain::renditions::Transformation;
    use media::orient::Orientation;

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

    fn negotiated(format: ImageFormat, accepts_webp: bool) -> Rendition {
        Rendition {
            accepts_webp,
            ..Rendition::of(Transformation::default(), format)
        }
    }

    #[test]
    fn negotiated_format_falls_back_to_accepted_formats() {
        use ImageFormat::{Avif, Gif, Jpeg, Png, WebP};

        for (format, accepts_webp, original, expected) in [
            (Avif, true, "image/jpeg", &[Avif, WebP, Jpeg, Png][..]),
            (Avif, false, "image/jpeg", &[Avif, Jpeg, Png]),
            (Avif, true, "image/tiff", &[Avif, WebP, Png]),
            (Avif, true, "image/heic", &[Avif, WebP, Jpeg, Png]),
            (Avif, false, "image/avif", &[Avif, Jpeg, Png]),
            (Avif, false, "image/gif", &[Avif, Gif, Png]),
            (WebP, true, "image/jpeg", &[WebP, Jpeg, Png]),
            (Jpeg, true, "image/jpeg", &[Jpeg, Png]),
            (Png, false, "image/png", &[Png]),
        ] {
            let rendition = negotiated(format, accepts_webp);
            let found = formats(rendition, original, None);
            assert_eq!(found, expected, "{format:?} {accepts_webp} {original}");
        }
    }

    #[test]
    fn requested_format_has_no_substitute() {
        let requested = Rendition {
            transformation: Some(Transformation {
                format: Some(ImageFormat::Avif),
                ..Transformation::default()
            }),
            ..negotiated(ImageFormat::Avif, true)
        };
        let marked_original = Rendition {
            transformation: None,
            ..negotiated(ImageFormat::Jpeg, true)
        };

        assert_eq!(formats(requested, "image/jpeg", None), [ImageFormat::Avif]);
        assert_eq!(
            formats(marked_original, "image/jpeg", None),
            [ImageFormat::Jpeg]
        );
    }

    #[test]
    fn format_of_small_images_is_final_unless_an_animation_may_not_be_avif() {
        use ImageFormat::{Avif, WebP};

        for (format, mime_type, source, output, expected) in [
            (WebP, "image/jpeg", 10_000, 2_000, true),
            (WebP, "image/jpeg", 10_001, 2_000, false),
            (WebP, "image/jpeg", 10_000, 2_001, false),
            (WebP, "image/gif", 10_000, 2_000, true),
            (WebP, "image/heic", 3_000, 2_000, true),
            (WebP, "image/heif", 3_001, 2_000, false),
            (WebP, "image/avif", 3_001, 2_000, false),
            (Avif, "image/jpeg", 10_000, 400, true),
            (Avif, "image/png", 10_000, 400, true),
            (Avif, "image/tiff", 10_001, 400, false),
            (Avif, "image/avif", 3_000, 400, true),
            (Avif, "image/gif", 100, 100, false),
            (Avif, "image/webp", 100, 100, false),
        ] {
            let [source, output] = [source, output].map(|width| ImageSize::new(width, 5_000));
            let original = restricting_format(mime_type);
            let found = is_final(format, original, source, output);
            assert_eq!(found, expected, "{format:?} {mime_type} {source:?}");
        }
    }

    #[test]
    fn only_small_still_images_are_negotiated_as_avif() {
        let small = ImageSize::new(2_000, 1_000);
        let large = ImageSize::new(2_001, 1_000);
        let still = info(Format::Gif);
        let animated = ImageInfo {
            frames: Frames::Animated,
            ..still
        };

        assert!(suits(ImageFormat::Avif, &still, small));
        assert!(!suits(ImageFormat::Avif, &still, large));
        assert!(!suits(ImageFormat::Avif, &animated, small));
        assert!(suits(ImageFormat::WebP, &animated, large));
    }
}
