//! Transformation of uploaded images by the rules of an upload config.
//!
//! Invariants:
//! - Files that no rule applies to are not parsed.
//! - An animation is never converted to a still image.

use domain::{
    files::MediaType,
    renditions::Quality,
    uploads::{TransformationRules, UploadFormat},
};

use crate::{
    completeness,
    decode::{decode, require_decodable_size},
    encode::{EncodeOptions, encode, quality, require_avif_limit},
    error::MediaError,
    estimate::{DecodingCost, Work},
    exif,
    format::Format,
    orient::{Orientation, orient},
    probe::{Frames, ImageInfo, probe_whole},
    strip::strip,
};

/// Maximum estimated time of a conversion, in milliseconds. The rest of the time until the response
/// is for reading and storing the file.
pub const MAX_CONVERSION_MILLISECONDS: u64 = 22_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransformOutcome {
    /// The uploaded bytes are stored.
    Unchanged,
    /// The transformed image is stored.
    Transformed(TransformedImage),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransformedImage {
    pub bytes: Vec<u8>,
    /// Type of the bytes.
    pub media_type: MediaType,
    /// Width as displayed, in pixels.
    pub width: u32,
    /// Height as displayed, in pixels.
    pub height: u32,
}

/// Operation that the rules require.
enum Operation {
    /// Store the uploaded bytes.
    Keep,
    /// Remove the metadata without decoding.
    StripMetadata,
    /// Decode the image and encode it in this format.
    Encode(Format),
}

/// Applies the rules to a complete file. Other formats than JPEG, PNG, GIF, WebP, HEIC and AVIF are
/// unchanged; of animations, only the metadata is removed. Fails with `UnsupportedFormat` if
/// metadata is to be removed from a HEIC or AVIF that is not converted.
///
/// Encoded images have sRGB colors if their profile is usable, and keep their EXIF data unless
/// metadata is removed. Peak memory in addition to input and output: 1.6 GB, or 1.8 GB for a
/// malicious WebP. Fails with `RenderingTooSlow` if a conversion would take too long.
pub fn transform(
    bytes: &[u8],
    rules: &TransformationRules,
) -> Result<TransformOutcome, MediaError> {
    let Some(format) = transformable_format(bytes, rules) else {
        return Ok(TransformOutcome::Unchanged);
    };
    let probed = probe_whole(bytes)?;
    let (output, format) = match operation(&probed, rules) {
        Operation::Keep => return Ok(TransformOutcome::Unchanged),
        Operation::StripMetadata => (stripped(bytes, &probed)?, format),
        Operation::Encode(target) => (encoded(bytes, &probed, target, rules)?, target),
    };
    Ok(outcome(bytes, output, format, &probed))
}

/// Applies the rules to a complete file that is too large to be decoded: removes its metadata. The
/// orientation is kept as EXIF data. Returns `None` if the rules convert the image. Fails for a PNG
/// without its end: only its pixels would show whether they are complete.
pub fn transform_undecoded(
    bytes: &[u8],
    rules: &TransformationRules,
) -> Result<Option<TransformOutcome>, MediaError> {
    let Some(format) = transformable_format(bytes, rules) else {
        return Ok(Some(TransformOutcome::Unchanged));
    };

    let probed = probe_whole(bytes)?;
    if probed.frames != Frames::Animated && is_converted(&probed, rules) {
        return Ok(None);
    }

    if !rules.strip_metadata {
        return Ok(Some(TransformOutcome::Unchanged));
    }
    if format == Format::Png && !completeness::has_end(bytes)? {
        return Err(MediaError::Truncated);
    }

    let output = stripped(bytes, &probed)?;
    Ok(Some(outcome(bytes, output, format, &probed)))
}

/// Removes the metadata without decoding. Fails for a format that does not permit it.
fn stripped(bytes: &[u8], probed: &ImageInfo) -> Result<Vec<u8>, MediaError> {
    if !probed.format.has_removable_metadata() {
        return Err(MediaError::UnsupportedFormat(probed.format));
    }
    strip(bytes, probed)
}

/// Whether the rules can remove the metadata of images of a format: by converting them, if need be.
pub fn can_remove_metadata(format: Format, rules: &TransformationRules) -> bool {
    format.has_removable_metadata() || is_cleaned_by_encoding(format, rules)
}

/// Whether the rules name a format or a quality in which images of a decoded format are encoded,
/// also if it is that of an AVIF.
fn is_cleaned_by_encoding(format: Format, rules: &TransformationRules) -> bool {
    let is_named = rules.upload_format != UploadFormat::Original;
    format.is_decodable() && (is_named || has_other_coding(format, rules))
}

/// Whether the rules convert every image of a format, as far as the format alone shows. GIF, WebP,
/// HEIC and AVIF may be animations, which are not converted.
pub fn converts_all(format: Format, rules: &TransformationRules) -> bool {
    matches!(format, Format::Jpeg | Format::Png) && has_other_coding(format, rules)
}

/// Returns the outcome of a transformation of `bytes` to `output`.
fn outcome(bytes: &[u8], output: Vec<u8>, format: Format, probed: &ImageInfo) -> TransformOutcome {
    if output == bytes {
        return TransformOutcome::Unchanged;
    }
    let displayed = probed.displayed();
    TransformOutcome::Transformed(TransformedImage {
        bytes: output,
        media_type: format.media_type(),
        width: displayed.width,
        height: displayed.height,
    })
}

/// Whether the rules can change a file with these first bytes; 12 bytes are enough.
pub fn can_transform(head: &[u8], rules: &TransformationRules) -> bool {
    transformable_format(head, rules).is_some()
}

fn transformable_format(head: &[u8], rules: &TransformationRules) -> Option<Format> {
    Format::detect(head)
        .filter(|format| format.is_decodable())
        .filter(|_| has_image_transformations(rules))
}

/// Whether the rules can change an image.
pub fn has_image_transformations(rules: &TransformationRules) -> bool {
    rules.upload_format != UploadFormat::Original
        || rules.upload_quality != Quality::Auto
        || rules.progressive
        || rules.strip_metadata
}

/// Returns the format that an image is stored in.
fn target_format(format: Format, rules: &TransformationRules) -> Format {
    match rules.upload_format {
        UploadFormat::Original => format,
        UploadFormat::Jpeg => Format::Jpeg,
        UploadFormat::Png => Format::Png,
        UploadFormat::WebP => Format::WebP,
        UploadFormat::Avif => Format::Avif,
    }
}

/// Whether the rules ask for another format or quality.
fn has_other_coding(format: Format, rules: &TransformationRules) -> bool {
    let target = target_format(format, rules);
    let has_quality = matches!(target, Format::Jpeg | Format::WebP | Format::Avif);
    target != format || (has_quality && rules.upload_quality != Quality::Auto)
}

/// Whether the rules ask for another coding of a still image.
fn is_converted(probed: &ImageInfo, rules: &TransformationRules) -> bool {
    let is_jpeg = target_format(probed.format, rules) == Format::Jpeg;
    has_other_coding(probed.format, rules) || (is_jpeg && rules.progressive && !probed.progressive)
}

fn operation(probed: &ImageInfo, rules: &TransformationRules) -> Operation {
    let is_turned = rules.strip_metadata && probed.orientation != Orientation::Normal;
    let is_cleaned = if probed.format.has_removable_metadata() {
        is_turned
    } else {
        rules.strip_metadata && is_cleaned_by_encoding(probed.format, rules)
    };
    let is_encoded = is_converted(probed, rules) || is_cleaned;

    if is_encoded && probed.frames != Frames::Animated {
        Operation::Encode(target_format(probed.format, rules))
    } else if rules.strip_metadata {
        Operation::StripMetadata
    } else {
        Operation::Keep
    }
}

fn encoded(
    bytes: &[u8],
    probed: &ImageInfo,
    target: Format,
    rules: &TransformationRules,
) -> Result<Vec<u8>, MediaError> {
    let exif = if rules.strip_metadata {
        None
    } else {
        exif::block(bytes, probed.format).and_then(|exif| exif::normalized(&exif))
    };
    let is_same = target == probed.format;
    let displayed = probed.displayed();
    let encoding = EncodeOptions {
        format: target,
        quality: quality(rules.upload_quality, displayed.width, displayed.height),
        // Without a rule for it, an image stays progressive or lossless.
        progressive: rules.progressive || (is_same && probed.progressive),
        lossless: is_same && probed.lossless && rules.upload_quality == Quality::Auto,
        exif: exif.as_deref(),
    };
    require_time(bytes, probed, &encoding)?;

    let pixels = orient(decode(bytes, probed)?, probed.orientation);
    encode(pixels, &encoding)
}

/// Fails if a conversion would take too long. The time of lossless images is limited by their
/// pixels.
fn require_time(
    bytes: &[u8],
    probed: &ImageInfo,
    encoding: &EncodeOptions<'_>,
) -> Result<(), MediaError> {
    if encoding.lossless {
        return Ok(());
    }
    require_decodable_size(probed)?;
    if encoding.format == Format::Avif {
        require_avif_limit(probed.displayed())?;
    }

    let decoding = DecodingCost::read(bytes, probed)?;
    let work = Work {
        output: probed.displayed(),
        format: encoding.format,
        quality: encoding.quality,
        has_alpha: probed.has_alpha,
    };
    let milliseconds = decoding.milliseconds + work.milliseconds(probed, 1);
    if milliseconds > MAX_CONVERSION_MILLISECONDS {
        return Err(MediaError::RenderingTooSlow {
            format: encoding.format,
            milliseconds,
            limit: MAX_CONVERSION_MILLISECONDS,
        });
    }
    Ok(())
}
