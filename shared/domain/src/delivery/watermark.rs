//! A space's security settings: its watermark.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FieldError, PublicHttpsUrl};

/// A space's security settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Security {
    /// What is laid over every delivered image.
    pub watermark: Watermark,
}

/// An image laid over every delivered image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Watermark {
    /// Whether it is laid.
    pub enabled: bool,
    /// Address of the image.
    pub url: Option<PublicHttpsUrl>,
    /// Where it is laid.
    pub position: Gravity,
    /// How opaque it is.
    pub opacity: Opacity,
}

impl Default for Watermark {
    fn default() -> Watermark {
        Watermark {
            enabled: false,
            url: None,
            position: Gravity::Southeast,
            opacity: Opacity::default(),
        }
    }
}

/// The least opacity that is kept.
const LEAST_OPACITY: f64 = 1e-6;

/// How opaque something is: above 0, at most 1.
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
    /// Takes a number in range.
    pub fn new(number: f64) -> Result<Opacity, FieldError> {
        if number > 1.0 {
            Err(FieldError::TooLarge(1))
        } else if number > 0.0 {
            // What is less cannot be seen, and the table holds no number that is near enough to
            // nothing.
            Ok(Opacity(number.max(LEAST_OPACITY)))
        } else {
            Err(FieldError::Custom("must be greater than 0"))
        }
    }
}

/// A place in an image, by compass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Gravity {
    /// Top left.
    Northwest,
    /// Top.
    North,
    /// Top right.
    Northeast,
    /// Left.
    West,
    /// The middle.
    Center,
    /// Right.
    East,
    /// Bottom left.
    Southwest,
    /// Bottom.
    South,
    /// Bottom right.
    Southeast,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opacity_is_above_nothing_and_at_most_whole() {
        assert_eq!(Opacity::new(f64::MIN_POSITIVE), Ok(Opacity(LEAST_OPACITY)));
        assert!(Opacity::new(1.0).is_ok());
        assert_eq!(Opacity::new(1.000_1), Err(FieldError::TooLarge(1)));
        for wrong in [0.0, -0.5, f64::NAN] {
            assert!(Opacity::new(wrong).is_err(), "{wrong}");
        }
    }
}
