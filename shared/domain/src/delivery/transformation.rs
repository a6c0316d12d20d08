//! Query parameters of delivery URLs that request a transformed image, and their valid values.
//!
//! - `w`, `h`: 1 to 8192 pixels
//! - `r`: `scale`, `fit`, `fill`, `crop`, `thumb`
//! - `g`: `center`, a compass direction, `auto`
//! - `f`: `jpeg`, `png`, `webp`, `avif`, `gif`, `auto`
//! - `q`: 1 to 100, `auto`
//!
//! All are optional, and none may be repeated.

use crate::{
    Crop, FieldError, FieldErrors, Gravity, ImageFormat, MAX_SIDE_PIXELS, Quality, QueryParameter,
    parse_variant,
};

const WIDTH: &str = "w";
const HEIGHT: &str = "h";
const CROP: &str = "r";
const GRAVITY: &str = "g";
const FORMAT: &str = "f";
const QUALITY: &str = "q";
/// Value of gravity and format that is resolved per image.
const AUTO: &str = "auto";

/// Parameters that request a transformed image.
pub const TRANSFORMATION_PARAMETERS: [&str; 6] = [WIDTH, HEIGHT, CROP, GRAVITY, FORMAT, QUALITY];

/// Validates decoded query parameters. Ignores parameters that are not transformations.
pub fn validate_transformation(parameters: &[QueryParameter<'_>]) -> Result<(), FieldErrors> {
    let mut field_errors = FieldErrors::default();
    let mut seen: Vec<&str> = Vec::new();

    for parameter in parameters {
        let name = parameter.name.as_ref();
        if !TRANSFORMATION_PARAMETERS.contains(&name) {
            continue;
        }

        let result = if seen.contains(&name) {
            Err(FieldError::Duplicate)
        } else {
            validate(name, &parameter.value)
        };
        seen.push(name);
        field_errors.record(name, result);
    }

    if field_errors.is_empty() {
        Ok(())
    } else {
        Err(field_errors)
    }
}

fn validate(name: &str, value: &str) -> Result<(), FieldError> {
    match name {
        WIDTH | HEIGHT => pixels(value),
        CROP => parse_variant::<Crop>(value).map(drop),
        GRAVITY | FORMAT if value == AUTO => Ok(()),
        GRAVITY => parse_variant::<Gravity>(value).map(drop),
        FORMAT => parse_variant::<ImageFormat>(value).map(drop),
        _ => number(value)
            .map_or_else(|| Quality::from_name(value), Quality::from_number)
            .map(drop),
    }
}

fn pixels(value: &str) -> Result<(), FieldError> {
    match number(value).ok_or(FieldError::NotAnInteger)? {
        0 => Err(FieldError::TooSmall(1)),
        number if number > MAX_SIDE_PIXELS => Err(FieldError::TooLarge(MAX_SIDE_PIXELS)),
        _ => Ok(()),
    }
}

/// Parses a number of digits only. Saturates on overflow.
fn number(value: &str) -> Option<i64> {
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| value.parse().unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_values_pass_and_other_parameters_are_ignored() {
        for (name, values) in [
            ("w", &["1", "0100", "8192"][..]),
            ("h", &["8192"]),
            ("r", &["scale", "fit", "fill", "crop", "thumb"]),
            ("g", &["auto", "center", "northwest"]),
            ("f", &["auto", "jpeg", "webp", "gif"]),
            ("q", &["auto", "1", "100"]),
            ("download", &["", "x"]),
            ("W", &["x"]),
        ] {
            for value in values {
                assert_eq!(
                    validate_transformation(&[
                        QueryParameter::new("v", ""),
                        QueryParameter::new(name, *value),
                    ]),
                    Ok(()),
                    "{name}={value}"
                );
            }
        }
    }

    #[test]
    fn invalid_value_is_reported_on_its_parameter() {
        for (name, wrong, why) in [
            (
                "w",
                &[
                    "", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "١", "auto",
                ][..],
                FieldError::NotAnInteger,
            ),
            ("h", &["0", "000"], FieldError::TooSmall(1)),
            (
                "w",
                &["8193", "99999999999999999999"],
                FieldError::TooLarge(8_192),
            ),
            (
                "r",
                &["", "Fit", "pad", "auto"],
                FieldError::InvalidSelection,
            ),
            ("g", &["", "middle", "NORTH"], FieldError::InvalidSelection),
            (
                "f",
                &["", "jpg", "svg", "original"],
                FieldError::InvalidSelection,
            ),
            (
                "q",
                &["", "-1", "+80", "80%", "best"],
                FieldError::InvalidSelection,
            ),
            ("q", &["0"], FieldError::TooSmall(1)),
            (
                "q",
                &["101", "99999999999999999999"],
                FieldError::TooLarge(100),
            ),
        ] {
            for value in wrong {
                let expected = FieldErrors::from((name, why.clone()));
                assert_eq!(
                    validate_transformation(&[QueryParameter::new(name, *value)]),
                    Err(expected),
                    "{name}={value}"
                );
            }
        }
    }

    #[test]
    fn all_invalid_values_are_reported_together() {
        let mut expected = FieldErrors::default();
        for (name, why) in [
            ("w", FieldError::TooSmall(1)),
            ("w", FieldError::Duplicate),
            ("h", FieldError::Duplicate),
            ("r", FieldError::InvalidSelection),
        ] {
            expected.add(name, &why);
        }

        let parameters = [
            ("w", "0"),
            ("h", "1"),
            ("w", "2"),
            ("r", "x"),
            ("h", "1"),
            ("q", "1"),
            ("v", "x"),
        ]
        .map(|(name, value)| QueryParameter::new(name, value));

        assert_eq!(validate_transformation(&parameters), Err(expected));
    }
}
