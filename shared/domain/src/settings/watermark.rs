//! Security settings: the watermark of delivered images, and who may request transformed ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    errors::FieldError,
    id::{FileId, Revision},
    naming::PublicHttpsUrl,
};

/// Security settings of a space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Security {
    /// Watermark of delivered images.
    pub watermark: Watermark,
    /// Which transformed images requests without credentials may create.
    #[serde(default)]
    #[schemars(!default)]
    pub transformations: TransformationPolicy,
}

/// Security settings of a folder. Each of them is inherited on its own: from the nearest ancestor
/// that sets it, else from the space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FolderSecurity {
    /// Watermark of delivered images; `None` inherits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watermark: Option<Watermark>,
    /// Which transformed images requests without credentials may create; `None` inherits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transformations: Option<TransformationPolicy>,
}

/// Which transformed images requests without a signed URL or an API key may create. Existing ones
/// are delivered in any case.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum TransformationPolicy {
    #[default]
    Any,
    /// The `eager` transformations of the file's upload config, with automatic quality. Without a
    /// format, they are negotiated.
    Named,
    Signed,
}

/// Image that is composited over delivered images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Watermark {
    /// Whether the watermark is applied.
    pub enabled: bool,
    /// URL of the watermark image: `https`. Required if `enabled` is true and there is no
    /// `file_id`.
    pub url: Option<PublicHttpsUrl>,
    /// The file that is the watermark image, in place of `url`: an image of the same space. Its
    /// original bytes were copied, so it may have been deleted.
    #[serde(default)]
    #[schemars(!default)]
    pub file_id: Option<FileId>,
    /// Position of the watermark.
    pub position: Gravity,
    /// Opacity of the watermark.
    pub opacity: Opacity,
}

impl Default for Watermark {
    fn default() -> Watermark {
        Watermark {
            enabled: false,
            url: None,
            file_id: None,
            position: Gravity::Southeast,
            opacity: Opacity::default(),
        }
    }
}

/// A watermark that delivered images must have: the stored copy of its image, and how it is
/// composited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AppliedWatermark {
    /// Revision of the stored copy.
    pub revision: Revision,
    /// Position of the watermark.
    pub position: Gravity,
    /// Opacity of the watermark.
    pub opacity: Opacity,
}

/// Minimum opacity; lower values are raised to it.
const MIN_OPACITY: f64 = 1e-6;

/// The stored copy of the image of a watermark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredWatermark {
    /// Revision of the copy.
    pub revision: Revision,
    /// Revision of the bytes of the file that it was copied from; `None` for the image of a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied: Option<Revision>,
}

/// Opacity: greater than 0, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
pub struct Opacity(f64);

impl Default for Opacity {
    fn default() -> Opacity {
        Opacity(0.5)
    }
}

impl Opacity {
    pub fn new(number: f64) -> Result<Opacity, FieldError> {
        if number > 1.0 {
            Err(FieldError::TooLarge(1))
        } else if number > 0.0 {
            // Lower values are invisible, and DynamoDB cannot store numbers close to 0.
            Ok(Opacity(number.max(MIN_OPACITY)))
        } else {
            Err(FieldError::Custom("must be greater than 0"))
        }
    }

    /// Returns the opacity as a number.
    pub fn value(self) -> f64 {
        self.0
    }
}

/// Position in an image as a compass direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Gravity {
    Northwest,
    North,
    Northeast,
    West,
    Center,
    East,
    Southwest,
    South,
    Southeast,
}

impl Gravity {
    /// All positions, row by row.
    pub const ALL: [Gravity; 9] = [
        Gravity::Northwest,
        Gravity::North,
        Gravity::Northeast,
        Gravity::West,
        Gravity::Center,
        Gravity::East,
        Gravity::Southwest,
        Gravity::South,
        Gravity::Southeast,
    ];

    /// Returns the name, as in JSON and URLs.
    pub fn name(self) -> &'static str {
        match self {
            Gravity::Northwest => "northwest",
            Gravity::North => "north",
            Gravity::Northeast => "northeast",
            Gravity::West => "west",
            Gravity::Center => "center",
            Gravity::East => "east",
            Gravity::Southwest => "southwest",
            Gravity::South => "south",
            Gravity::Southeast => "southeast",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opacity_is_greater_than_0_and_at_most_1() {
        assert_eq!(Opacity::new(f64::MIN_POSITIVE), Ok(Opacity(MIN_OPACITY)));
        assert!(Opacity::new(1.0).is_ok());
        assert_eq!(Opacity::new(1.000_1), Err(FieldError::TooLarge(1)));
        for wrong in [0.0, -0.5, f64::NAN] {
            assert!(Opacity::new(wrong).is_err(), "{wrong}");
        }
    }
}
