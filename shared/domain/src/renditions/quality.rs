//! Quality of encoded images.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::errors::FieldError;

/// Name of the automatic quality.
const AUTO: &str = "auto";

const QUALITY_MAX: i64 = 100;

/// Quality of an encoded image: 1 to 100, or automatic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "QualityForm", into = "QualityForm")]
#[schemars(with = "QualityForm")]
pub enum Quality {
    /// Chosen per image; images that need no encoding are kept unchanged.
    #[default]
    Auto,
    /// 1 to 100.
    Fixed(u8),
}

/// JSON form of a quality: `"auto"` or a number.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum QualityForm {
    Name(#[schemars(extend("const" = AUTO))] String),
    Number(#[schemars(range(min = 1, max = QUALITY_MAX))] i64),
}

impl TryFrom<QualityForm> for Quality {
    type Error = &'static str;

    fn try_from(form: QualityForm) -> Result<Quality, &'static str> {
        match form {
            QualityForm::Name(name) => Quality::from_name(&name).map_err(|_| "not a quality"),
            QualityForm::Number(number) => {
                Quality::from_number(number).map_err(|_| "not a quality")
            }
        }
    }
}

impl From<Quality> for QualityForm {
    fn from(quality: Quality) -> QualityForm {
        match quality {
            Quality::Auto => QualityForm::Name(AUTO.to_owned()),
            Quality::Fixed(number) => QualityForm::Number(number.into()),
        }
    }
}

impl Quality {
    /// Parses the name of a quality: `auto`.
    pub fn from_name(name: &str) -> Result<Quality, FieldError> {
        if name == AUTO {
            Ok(Quality::Auto)
        } else {
            Err(FieldError::InvalidSelection)
        }
    }

    /// Validates a quality from 1 to 100.
    pub fn from_number(number: i64) -> Result<Quality, FieldError> {
        match u8::try_from(number) {
            Ok(0) => Err(FieldError::TooSmall(1)),
            Ok(small) if number <= QUALITY_MAX => Ok(Quality::Fixed(small)),
            Err(_) if number < 1 => Err(FieldError::TooSmall(1)),
            _ => Err(FieldError::TooLarge(QUALITY_MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_is_between_1_and_100() {
        assert_eq!(Quality::from_number(1), Ok(Quality::Fixed(1)));
        assert_eq!(Quality::from_number(100), Ok(Quality::Fixed(100)));
        for (wrong, why) in [
            (0, FieldError::TooSmall(1)),
            (-1, FieldError::TooSmall(1)),
            (101, FieldError::TooLarge(100)),
        ] {
            assert_eq!(Quality::from_number(wrong), Err(why));
        }
        assert_eq!(
            Quality::from_number(256 + 80),
            Err(FieldError::TooLarge(100))
        );
    }
}
