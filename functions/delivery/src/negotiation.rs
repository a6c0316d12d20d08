//! Choice of the image format by `Accept` (RFC 9110, section 12.5.1).
//!
//! AVIF and WebP are chosen only if the client names them, since clients that send `*/*` may not be
//! able to show them.

use domain::{
    naming::ImageSize,
    renditions::{ImageFormat, Rendition, Transformation},
};
use http::{HeaderMap, header};
use renditions::MAX_NEGOTIATED_AVIF_PIXELS;
use space_store::delivery::AuthorizedFile;

use crate::media_range::MediaRange;

/// Returns the rendition of a file that a client gets, with its output if the size of the image is
/// recorded; `None` for the original bytes.
///
/// The format is the requested one, else AVIF, WebP or the format of the original, whichever the
/// client prefers, in this order. WebP replaces AVIF for some types of originals. An original with
/// a watermark keeps its format, unless it is a large AVIF.
pub(crate) fn choose_rendition(
    transformation: Option<Transformation>,
    file: &AuthorizedFile,
    headers: &HeaderMap,
) -> Option<Rendition> {
    let watermark = file.watermark();
    let mime_type = &file.file().mime_type;
    let has_alpha = file.file().has_alpha();
    let format = match transformation {
        Some(transformation) => transformation
            .format
            .unwrap_or_else(|| negotiate(headers, mime_type, has_alpha)),
        None if watermark.is_some() => {
            of_marked_original(mime_type, has_alpha, file.file().displayed_size())
        }
        None => return None,
    };

    let requested = Rendition {
        transformation,
        format,
        accepts_webp: accepts_webp(headers),
        watermark,
        may_enlarge: file.may_enlarge(transformation),
        output: None,
    };
    Some(renditions::resolve(requested, file.file()))
}

/// Returns the format of an original with a watermark. It is not negotiated, so no other one
/// replaces an AVIF that exceeds its limits.
fn of_marked_original(
    mime_type: &str,
    has_alpha: Option<bool>,
    size: Option<ImageSize>,
) -> ImageFormat {
    let is_small = size.is_some_and(|size| size.pixels() <= MAX_NEGOTIATED_AVIF_PIXELS);
    match ImageFormat::of_original(mime_type, has_alpha) {
        ImageFormat::Avif if has_alpha == Some(true) && !is_small => ImageFormat::Png,
        ImageFormat::Avif if !is_small => ImageFormat::Jpeg,
        format => format,
    }
}

/// Whether the client names WebP as acceptable.
fn accepts_webp(headers: &HeaderMap) -> bool {
    let ranges = media_ranges(headers);
    let webp = ranges.iter().find(|range| range.name == "image/webp");
    webp.is_some_and(|range| range.weight > 0)
}

/// Returns the elements of all `Accept` headers.
fn media_ranges(headers: &HeaderMap) -> Vec<MediaRange> {
    let values = headers.get_all(header::ACCEPT).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(MediaRange::all)
        .collect()
}

fn negotiate(headers: &HeaderMap, mime_type: &str, has_alpha: Option<bool>) -> ImageFormat {
    let original = ImageFormat::of_original(mime_type, has_alpha);
    let ranges = media_ranges(headers);
    let weight_of = |name: &str| {
        let range = ranges.iter().find(|range| range.name == name);
        range.map(|range| range.weight)
    };

    let webp = weight_of("image/webp").unwrap_or(0);
    let avif = weight_of("image/avif").unwrap_or(0);
    let original_name = format!("image/{}", original.name());
    let own = weight_of(&original_name)
        .or_else(|| weight_of("image/*"))
        .or_else(|| weight_of("*/*"))
        .unwrap_or(0);

    if avif > 0 && avif >= webp && avif >= own {
        // The distribution does not forward which of the two has the higher weight.
        if webp > 0 && ImageFormat::prefers_webp(mime_type) {
            ImageFormat::WebP
        } else {
            ImageFormat::Avif
        }
    } else if webp > 0 && webp >= own {
        ImageFormat::WebP
    } else {
        original
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn client_gets_the_best_format_that_it_names() {
        use ImageFormat::{Avif, Gif, Jpeg, Png, WebP};

        const GIF: &str = "image/gif";
        const JPEG: &str = "image/jpeg";
        const PNG: &str = "image/png";
        const TIFF: &str = "image/tiff";
        const WEBP: &str = "image/webp";

        for (accept, mime_type, expected) in [
            (
                "image/avif,image/webp,image/apng,image/*,*/*;q=0.8",
                JPEG,
                Avif,
            ),
            ("image/webp,*/*", JPEG, WebP),
            ("*/*", JPEG, Jpeg),
            ("image/*", GIF, Gif),
            ("image/avif,image/webp,*/*;q=0.8", WEBP, Avif),
            ("image/avif,image/webp,*/*;q=0.8", TIFF, Avif),
            ("image/avif,image/webp,*/*;q=0.8", PNG, WebP),
            ("image/avif,image/webp,*/*;q=0.8", GIF, WebP),
            ("image/avif,*/*;q=0.8", PNG, Avif),
            ("image/avif,image/webp;q=0.1", PNG, WebP),
            ("image/avif;q=0.5,image/webp;q=0.2,image/png", PNG, Png),
            ("image/avif,image/webp;q=0", GIF, Avif),
            ("image/avif,*/*;q=0.8", JPEG, Avif),
            ("", JPEG, Jpeg),
            ("text/html", JPEG, Jpeg),
            ("IMAGE/WEBP", JPEG, WebP),
            ("image/avif;q=0,image/webp", JPEG, WebP),
            ("image/avif;q=0.5,image/webp;q=0.8", JPEG, WebP),
            ("image/avif;q=0.5,image/webp;q=0.5", JPEG, Avif),
            ("image/webp;q=0.5,image/jpeg", JPEG, Jpeg),
            ("image/webp;q=0.5,*/*;q=0.4", JPEG, WebP),
            ("image/webp; q=0.001", JPEG, WebP),
            ("image/webp;q=2,image/avif;q=x", JPEG, Jpeg),
            ("image/webp;level=1;q=0.9, */*;q=0.1", JPEG, WebP),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(negotiate(&headers, mime_type, None), expected, "{accept}");
        }
    }

    #[test]
    fn webp_is_accepted_only_if_it_is_named() {
        for (accept, expected) in [
            ("image/avif,image/webp,*/*;q=0.8", true),
            ("image/avif, image/webp;q=0.1", true),
            ("image/avif, image/webp;q=0", false),
            ("image/avif,*/*", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(accepts_webp(&headers), expected, "{accept}");
        }
    }

    #[test]
    fn several_headers_count_as_one() {
        let mut headers = HeaderMap::new();
        headers.append(header::ACCEPT, HeaderValue::from_static("image/webp;q=0.5"));
        headers.append(header::ACCEPT, HeaderValue::from_static("image/avif"));
        assert_eq!(negotiate(&headers, "image/jpeg", None), ImageFormat::Avif);

        for (mime_type, has_alpha, expected) in [
            ("image/png", None, ImageFormat::Png),
            ("image/avif", None, ImageFormat::Avif),
            ("image/heic", None, ImageFormat::Jpeg),
            ("image/heic", Some(false), ImageFormat::Jpeg),
            ("image/heic", Some(true), ImageFormat::Png),
        ] {
            let found = negotiate(&HeaderMap::new(), mime_type, has_alpha);
            assert_eq!(found, expected, "{mime_type} {has_alpha:?}");
        }
    }

    #[test]
    fn marked_original_keeps_its_format_unless_it_is_a_large_avif() {
        use ImageFormat::{Avif, Jpeg, Png, WebP};

        for (mime_type, has_alpha, width, expected) in [
            ("image/avif", Some(true), Some(2_000), Avif),
            ("image/avif", None, Some(2_001), Jpeg),
            ("image/avif", Some(false), Some(2_001), Jpeg),
            ("image/avif", Some(true), Some(2_001), Png),
            ("image/avif", None, None, Jpeg),
            ("image/webp", Some(true), Some(2_001), WebP),
            ("image/heic", Some(true), None, Png),
        ] {
            let size = width.map(|width| ImageSize::new(width, 1_000));
            let found = of_marked_original(mime_type, has_alpha, size);
            assert_eq!(found, expected, "{mime_type} {has_alpha:?} {width:?}");
        }
    }
}
