//! What an upload config asks of an image that comes in: the bytes that are stored.
//!
//! Invariant: what nothing is asked of is not looked at, and an animation is never made a still.

use domain::{MediaType, Quality, TransformationRules, UploadFormat};

use crate::{
    Encoding, Format, Frames, MediaError, Orientation, Probed, decode, encode, encode::quality,
    metadata, orient, probe,
};

/// What is stored of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// The bytes that came.
    Unchanged,
    /// Other bytes.
    Changed(Changed),
}

/// An image that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The bytes to store.
    pub bytes: Vec<u8>,
    /// What they are.
    pub media_type: MediaType,
    /// Pixels, as seen.
    pub width: u32,
    /// Pixels, as seen.
    pub height: u32,
}

/// What is to be done.
enum Plan {
    /// Nothing.
    Keep,
    /// Its metadata is removed, its pixels are not touched.
    Strip,
    /// It is decoded and encoded as this.
    Encode(Format),
}

/// Applies a config's rules to a whole file. Formats that are not decoded here, and what is no
/// image, are unchanged; so are animations, unless their metadata is to be removed. Colours of
/// encoded images are sRGB, where their profile can be used, and their camera data is kept, unless
/// it is to be removed. Memory: `bytes` and the result, and where it is encoded at most 16 bytes a
/// pixel of at most `PIXELS`, or more of fewer: 1.6 GB, and 1.8 where a WebP was made to that end.
pub fn incoming(bytes: &[u8], rules: &TransformationRules) -> Result<Incoming, MediaError> {
    let Some(format) = subject(bytes, rules) else {
        return Ok(Incoming::Unchanged);
    };
    let probed = probe(bytes)?;
    let (bytes, format) = match plan(&probed, rules) {
        Plan::Keep => return Ok(Incoming::Unchanged),
        // Of a whole file, all frames are known.
        _ if probed.frames == Frames::Unknown => return Err(MediaError::EndsEarly),
        Plan::Strip => {
            let stripped = metadata::strip(bytes, &probed)?;
            if stripped == bytes {
                return Ok(Incoming::Unchanged);
            }
            (stripped, format)
        }
        Plan::Encode(target) => (encoded(bytes, &probed, target, rules)?, target),
    };
    let (width, height) = probed.displayed();
    Ok(Incoming::Changed(Changed {
        bytes,
        media_type: format.media_type(),
        width,
        height,
    }))
}

/// Whether rules can have any effect on a file that begins so, of which 12 bytes are enough.
pub fn is_subject(head: &[u8], rules: &TransformationRules) -> bool {
    subject(head, rules).is_some()
}

fn subject(head: &[u8], rules: &TransformationRules) -> Option<Format> {
    Format::of(head)
        .filter(|format| format.is_decoded())
        .filter(|_| changes_images(rules))
}

/// Returns whether rules can have any effect on an image.
pub fn changes_images(rules: &TransformationRules) -> bool {
    rules.upload_format != UploadFormat::Original
        || rules.upload_quality != Quality::Auto
        || rules.progressive
        || rules.strip_metadata
}

fn plan(probed: &Probed, rules: &TransformationRules) -> Plan {
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
        Plan::Encode(target)
    } else if rules.strip_metadata {
        Plan::Strip
    } else {
        Plan::Keep
    }
}

fn encoded(
    bytes: &[u8],
    probed: &Probed,
    target: Format,
    rules: &TransformationRules,
) -> Result<Vec<u8>, MediaError> {
    let exif = if rules.strip_metadata {
        None
    } else {
        metadata::settled_exif(bytes, probed.format)
    };
    let pixels = orient(decode(bytes, probed)?, probed.orientation);
    let is_same = target == probed.format;
    let encoding = Encoding {
        format: target,
        quality: quality(rules.upload_quality, pixels.width, pixels.height),
        // What it was and nobody asked to change, it stays.
        progressive: rules.progressive || (is_same && probed.progressive),
        lossless: is_same && probed.lossless && rules.upload_quality == Quality::Auto,
        exif: exif.as_deref(),
    };
    encode(pixels, &encoding)
}
