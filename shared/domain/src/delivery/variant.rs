//! Variants: transformed images as they are rendered, stored and delivered.

use sha2::{Digest, Sha256};

use crate::{ImageFormat, Transformation};

/// Version of the rendering. A higher number replaces all stored variants.
const RENDERING_VERSION: u32 = 1;
/// Number of hex digits of an id.
const ID_DIGITS: usize = 32;

/// A transformation of one image with the format chosen. Equal variants have equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The requested transformation.
    pub transformation: Transformation,
    /// Format to render.
    pub format: ImageFormat,
}

impl Variant {
    /// Whether the format was negotiated. Another one may then be rendered if the image exceeds the
    /// limits of this format.
    pub fn is_negotiated(&self) -> bool {
        self.transformation.format.is_none()
    }

    /// Returns the id under which the variant is stored.
    pub fn id(&self) -> VariantId {
        let Variant {
            transformation,
            format,
        } = self;
        let format = format.name();
        let description = format!("{RENDERING_VERSION} {transformation} {format}");

        let digest = hex::encode(Sha256::digest(description));
        VariantId(digest[..ID_DIGITS].to_owned())
    }
}

/// Identifies a variant of one revision of a file: 32 hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariantId(String);

impl VariantId {
    /// Parses an id; `None` if it is malformed.
    pub fn parse(text: &str) -> Option<VariantId> {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_valid = text.len() == ID_DIGITS && text.bytes().all(is_hex);
        is_valid.then(|| VariantId(text.to_owned()))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoded_parameters;

    fn id(query: &str, format: ImageFormat) -> VariantId {
        let parameters = decoded_parameters(query).expect("UTF-8");
        let transformation = Transformation::parse(&parameters)
            .expect("valid parameters")
            .expect("a transformation");
        Variant {
            transformation,
            format,
        }
        .id()
    }

    #[test]
    fn equal_requests_have_equal_ids_and_others_do_not() {
        let fitted = id("w=400", ImageFormat::WebP);

        assert_eq!(id("r=fit&w=0400", ImageFormat::WebP), fitted);
        assert_eq!(VariantId::parse(fitted.as_str()), Some(fitted.clone()));

        for other in [
            id("w=401", ImageFormat::WebP),
            id("w=400", ImageFormat::Jpeg),
            id("w=400&q=80", ImageFormat::WebP),
            id("w=400&r=scale", ImageFormat::WebP),
            id("w=400&f=webp", ImageFormat::WebP),
        ] {
            assert_ne!(other, fitted);
        }
    }

    #[test]
    fn malformed_id_is_rejected() {
        for text in ["", "0", &"A".repeat(32), &"g".repeat(32), &"0".repeat(33)] {
            assert_eq!(VariantId::parse(text), None, "{text}");
        }
    }
}
