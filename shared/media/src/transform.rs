//! Transformation of uploaded images by the rules of an upload config.
//!
//! Invariants:
//! - Files that no rule applies to are not parsed.
//! - An animation is never converted to a still image.

use domain::{MediaType, Quality, TransformationRules, UploadFormat};

use crate::{
    EncodeOptions, Format, Frames, ImageInfo, MediaError, Orientation, decode, encode,
    encode::quality, metadata, orient, probe,
};

/// Outcome of [`transform`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransformOutcome {
    /// The uploaded bytes are stored.
    Unchanged,
    /// The transformed image is stored.
    Transformed(TransformedImage),
}

/// Transformed image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransformedImage {
    /// Bytes to store.
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

/// Applies the rules to a complete file. Other formats than JPEG, PNG, GIF and WebP are unchanged; of
/// animations, only the metadata is removed.
///
/// Encoded images have sRGB colors if their profile is usable, and keep their EXIF data unless
/// metadata is removed. Peak memory in addition to input and output: 1.6 GB, or 1.8 GB for a
/// malicious WebP.
pub fn transform(
    bytes: &[u8],
    rules: &TransformationRules,
) -> Result<TransformOutcome, MediaError> {
    let Some(format) = transformable_format(bytes, rules) else {
        return Ok(TransformOutcome::Unchanged);
    };
    let probed = probe(bytes)?;
    let (output, format) = match operation(&probed, rules) {
        Operation::Keep => return Ok(TransformOutcome::Unchanged),
        // The frames of a complete file are known.
        _ if probed.frames == Frames::Unknown => return Err(MediaError::Truncated),
        Operation::StripMetadata => {
            let stripped = metadata::strip(bytes, &probed)?;
            if stripped == bytes {
                return Ok(TransformOutcome::Unchanged);
            }
            (stripped, format)
        }
        Operation::Encode(target) => (encoded(bytes, &probed, target, rules)?, target),
    };
    let displayed = probed.displayed();

    Ok(TransformOutcome::Transformed(TransformedImage {
        bytes: output,
        media_type: format.media_type(),
        width: displayed.width,
        height: displayed.height,
    }))
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

fn operation(probed: &ImageInfo, rules: &TransformationRules) -> Operation {
    let target = match rules.upload_format {
        UploadFormat::Original => probed.format,
        UploadFormat::Jpeg => Format::Jpeg,
        UploadFormat::Png => Format::Png,
        UploadFormat::WebP => Format::WebP,
        UploadFormat::Avif => Format::Avif,
    };
    let has_quality = matches!(target, Format::Jpeg | Format::WebP | Format::Avif);
    let is_encoded = target != probed.format
        || (has_quality && rules.upload_quality != Quality::Auto)
        || (target == Format::Jpeg && rules.progressive && !probed.progressive)
        || (rules.strip_metadata && probed.orientation != Orientation::Normal);

    if is_encoded && probed.frames != Frames::Animated {
        Operation::Encode(target)
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
        metadata::normalized_exif(bytes, probed.format)
    };
    let pixels = orient(decode(bytes, probed)?, probed.orientation);
    let is_same = target == probed.format;
    let encoding = EncodeOptions {
        format: target,
        quality: quality(rules.upload_quality, pixels.width, pixels.height),
        // Without a rule for it, an image stays progressive or lossless.
        progressive: rules.progressive || (is_same && probed.progressive),
        lossless: is_same && probed.lossless && rules.upload_quality == Quality::Auto,
        exif: exif.as_deref(),
    };

    encode(pixels, &encoding)
}
