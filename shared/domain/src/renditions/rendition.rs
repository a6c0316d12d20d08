//! Renditions: transformed images as they are rendered, stored and delivered.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    id::Revision,
    renditions::{ImageFormat, Quality, Resize, Transformation},
    settings::AppliedWatermark,
};

/// Version of the rendering. A higher number replaces all stored renditions.
const RENDERING_VERSION: u32 = 3;
/// Stands for the transformation of an original with a watermark.
const ORIGINAL: &str = "original";
/// Marks a negotiated format that another one may replace.
const NEGOTIATED: &str = " negotiated";
/// Marks a resize that must not enlarge, of an image whose size is unknown.
const NOT_ENLARGED: &str = " not enlarged";
/// Marks a negotiated AVIF that WebP must not replace.
const WITHOUT_WEBP: &str = " without webp";
/// Number of hex digits of the digest in an id.
const DIGEST_DIGITS: usize = 32;
/// Separates the parts of an id.
const SEPARATOR: char = '-';

/// An image to render from an original, with the format chosen. Equal renditions have equal bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rendition {
    /// The requested transformation; `None` for the original with a watermark.
    pub transformation: Option<Transformation>,
    pub format: ImageFormat,
    /// Whether the client accepts WebP, which replaces a negotiated AVIF that exceeds its limits.
    pub accepts_webp: bool,
    /// Watermark of the image.
    pub watermark: Option<AppliedWatermark>,
    /// Whether a side of the output may be longer than that of the image.
    pub may_enlarge: bool,
    /// The output; `None` while the size of the image is unknown.
    pub output: Option<RenditionOutput>,
}

/// What a transformation results in for an image of known size. Transformations with the same
/// result have equal outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenditionOutput {
    /// How the image is resized; `None` keeps its size.
    pub resize: Option<Resize>,
    /// Quality of the output, as a number.
    pub quality: u8,
    /// Whether no other format replaces that of the rendition, even if it was negotiated.
    pub is_format_final: bool,
}

impl Rendition {
    /// Returns the rendition of a requested transformation, for a client that accepts `WebP`,
    /// without a watermark.
    pub fn of(transformation: Transformation, format: ImageFormat) -> Rendition {
        Rendition {
            transformation: Some(transformation),
            format,
            accepts_webp: true,
            watermark: None,
            may_enlarge: true,
            output: None,
        }
    }

    /// Whether the format was negotiated.
    pub fn is_negotiated(&self) -> bool {
        self.transformation
            .is_some_and(|transformation| transformation.format.is_none())
    }

    /// Whether the format was negotiated, and another one is rendered if the image exceeds its
    /// limits.
    pub fn is_replaceable(&self) -> bool {
        let is_final = self.output.is_some_and(|output| output.is_format_final);
        self.is_negotiated() && !is_final
    }

    /// Returns how the image is resized; `None` keeps its size.
    pub fn resize(&self) -> Option<Resize> {
        match self.output {
            Some(output) => output.resize,
            None => self.transformation?.resize,
        }
    }

    /// Returns the quality of the output.
    pub fn quality(&self) -> Quality {
        match self.output {
            Some(output) => Quality::Fixed(output.quality),
            None => self.transformation.unwrap_or_default().quality,
        }
    }

    /// Returns the id under which the rendition is stored. Renditions with the same output have
    /// equal ids, as far as it is known: it does not matter whether the format was requested or
    /// negotiated, unless another format may replace it, and a quality that the format ignores does
    /// not matter.
    ///
    /// The original with a watermark differs from all transformations, even if its bytes do not: of
    /// a private file, existing transformations are public, but the original is not.
    pub fn id(&self) -> RenditionId {
        let transformation = self
            .transformation
            .map_or_else(|| ORIGINAL.to_owned(), |_| self.canonical().to_string());
        let format = self.format.name();
        let mut description = format!("{RENDERING_VERSION} {transformation} {format}");
        if self.is_replaceable() {
            description.push_str(NEGOTIATED);
            if self.format == ImageFormat::Avif && !self.accepts_webp {
                description.push_str(WITHOUT_WEBP);
            }
        }
        if self.output.is_none() && !self.may_enlarge && self.is_scaled() {
            description.push_str(NOT_ENLARGED);
        }
        if let Some(watermark) = self.watermark {
            let position = watermark.position.name();
            let opacity = watermark.opacity.value();
            let layer = format!(" {position} {opacity}");
            description.push_str(&layer);
        }

        let digest = hex::encode(Sha256::digest(description));
        let mut id = format!("{RENDERING_VERSION}{SEPARATOR}{}", &digest[..DIGEST_DIGITS]);
        if let Some(watermark) = self.watermark {
            id.push(SEPARATOR);
            id.push_str(&watermark.revision.to_string());
        }
        RenditionId(id)
    }

    fn is_scaled(&self) -> bool {
        matches!(self.resize(), Some(Resize::Scale(_)))
    }

    /// Returns the transformation without its format, which is that of the rendition, and without a
    /// quality that this format ignores.
    fn canonical(&self) -> Transformation {
        let quality = if self.format.has_quality() {
            self.quality()
        } else {
            Quality::Auto
        };
        Transformation {
            format: None,
            quality,
            resize: self.resize(),
        }
    }
}

/// How long a stored rendition is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Retention {
    /// Until its file is deleted: created by a request with credentials, or as the upload config
    /// requests.
    Permanent,
    /// For some days: created by a request without credentials.
    Expiring,
}

impl Retention {
    pub const ALL: [Retention; 2] = [Retention::Permanent, Retention::Expiring];

    /// Returns the other one.
    #[must_use]
    pub fn other(self) -> Retention {
        match self {
            Retention::Permanent => Retention::Expiring,
            Retention::Expiring => Retention::Permanent,
        }
    }
}

/// Where a rendition is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RenditionLocation {
    /// Id of the rendition.
    pub id: RenditionId,
    /// How long it is kept.
    pub retention: Retention,
}

/// Identifies a rendition of one revision of a file: the version of the rendering, 32 hex digits,
/// and the revision of the watermark if it has one, separated by hyphens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RenditionId(String);

impl RenditionId {
    /// Parses an id of the current version of the rendering; `None` if it is another one or
    /// malformed.
    pub fn parse(text: &str) -> Option<RenditionId> {
        let mut parts = text.split(SEPARATOR);
        let is_current = parts.next() == Some(RENDERING_VERSION.to_string().as_str());
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let digest = parts.next()?;
        let is_digest = digest.len() == DIGEST_DIGITS && digest.bytes().all(is_hex);
        let is_watermark = parts
            .next()
            .is_none_or(|text| text.parse::<Revision>().is_ok());

        let is_valid = is_current && is_digest && is_watermark && parts.next().is_none();
        is_valid.then(|| RenditionId(text.to_owned()))
    }

    /// Returns the revision of the watermark's image, if the rendition has a watermark.
    pub fn watermark(&self) -> Option<Revision> {
        self.0.split(SEPARATOR).nth(2)?.parse().ok()
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        settings::{Gravity, Opacity},
        signing::decoded_parameters,
    };

    fn id(query: &str, format: ImageFormat) -> RenditionId {
        let parameters = decoded_parameters(query).expect("UTF-8");
        let transformation = Transformation::parse(&parameters)
            .expect("valid parameters")
            .expect("a transformation");
        Rendition::of(transformation, format).id()
    }

    #[test]
    fn equal_requests_have_equal_ids_and_others_do_not() {
        let fitted = id("w=400", ImageFormat::WebP);

        assert_eq!(id("r=fit&w=0400", ImageFormat::WebP), fitted);
        assert_eq!(RenditionId::parse(fitted.as_str()), Some(fitted.clone()));

        for other in [
            id("w=401", ImageFormat::WebP),
            id("w=400", ImageFormat::Jpeg),
            id("w=400&q=80", ImageFormat::WebP),
            id("w=400&r=scale", ImageFormat::WebP),
        ] {
            assert_ne!(other, fitted);
        }
    }

    #[test]
    fn requested_and_negotiated_formats_are_one_rendition_if_they_are_final() {
        let id = |format, is_format_final| {
            let transformation = Transformation {
                format,
                ..Transformation::default()
            };
            let rendition = Rendition {
                output: Some(RenditionOutput {
                    resize: None,
                    quality: 80,
                    is_format_final,
                }),
                ..Rendition::of(transformation, ImageFormat::WebP)
            };
            rendition.id()
        };
        let requested = id(Some(ImageFormat::WebP), false);

        assert_eq!(id(None, true), requested);
        assert_ne!(id(None, false), requested);
    }

    #[test]
    fn quality_matters_only_in_formats_that_have_one() {
        use ImageFormat::{Avif, Gif, Jpeg, Png, WebP};

        for format in [Jpeg, WebP, Avif] {
            assert_ne!(id("q=80", format), id("q=81", format), "{format:?}");
        }
        for format in [Png, Gif] {
            assert_eq!(id("q=80", format), id("q=auto", format), "{format:?}");
        }
    }

    #[test]
    fn acceptance_of_webp_changes_the_id_of_a_negotiated_avif() {
        let rendition = |format, accepts_webp| Rendition {
            accepts_webp,
            ..Rendition::of(Transformation::default(), format)
        };
        let avif = ImageFormat::Avif;
        let jpeg = ImageFormat::Jpeg;

        assert_ne!(rendition(avif, true).id(), rendition(avif, false).id());
        assert_eq!(rendition(jpeg, true).id(), rendition(jpeg, false).id());
    }

    #[test]
    fn every_property_of_a_watermark_changes_the_id() {
        let watermark = AppliedWatermark {
            revision: Revision::MIN,
            position: Gravity::Southeast,
            opacity: Opacity::default(),
        };
        let marked = |watermark| Rendition {
            transformation: None,
            watermark,
            ..Rendition::of(Transformation::default(), ImageFormat::Png)
        };
        let others = [
            marked(None),
            marked(Some(AppliedWatermark {
                revision: Revision::MAX,
                ..watermark
            })),
            marked(Some(AppliedWatermark {
                position: Gravity::North,
                ..watermark
            })),
            marked(Some(AppliedWatermark {
                opacity: Opacity::new(0.25).expect("an opacity"),
                ..watermark
            })),
            Rendition {
                transformation: Some(Transformation {
                    format: Some(ImageFormat::Png),
                    ..Transformation::default()
                }),
                ..marked(Some(watermark))
            },
        ];

        let id = marked(Some(watermark)).id();
        for other in others {
            assert_ne!(other.id(), id, "{other:?}");
        }
        assert_eq!(RenditionId::parse(id.as_str()), Some(id.clone()));
        assert_eq!(id.watermark(), Some(Revision::MIN));
        assert_eq!(marked(None).id().watermark(), None);
    }

    #[test]
    fn malformed_id_is_rejected() {
        let digest = "0".repeat(DIGEST_DIGITS);
        for text in [
            String::new(),
            digest.clone(),
            format!("0-{digest}"),
            format!("{RENDERING_VERSION}-"),
            format!("{RENDERING_VERSION}-{digest}0"),
            format!("{RENDERING_VERSION}-{}", "g".repeat(DIGEST_DIGITS)),
            format!("{RENDERING_VERSION}-{digest}-"),
            format!("{RENDERING_VERSION}-{digest}-{}-", Revision::MIN),
        ] {
            assert_eq!(RenditionId::parse(&text), None, "{text}");
        }
    }
}
