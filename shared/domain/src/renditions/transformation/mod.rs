//! Transformations of delivered images, and the query parameters that request them.
//!
//! - `w`, `h`: 1 to 8192 pixels
//! - `r`: `scale`, `fit` (default), `fill`, `crop`, `thumb`
//! - `g`: `center` (default), a compass direction, `auto` (default of `thumb`)
//! - `f`: `jpeg` (also `jpg`), `png`, `webp`, `avif`, `gif`, `auto` (default)
//! - `q`: 1 to 100, `auto` (default)
//!
//! All are optional, and none may be repeated. Names of other services for these parameters, such
//! as `width`, are rejected.
//!
//! Invariants:
//! - Requests for the same image have equal transformations.
//! - Parsing the canonical parameters of a transformation returns an equal transformation.

mod format;
mod misnamed;
mod resize;

pub use format::ImageFormat;
pub use misnamed::misnamed_transformation_fields;
pub use resize::{Crop, Focus, Resize, Sides};

use std::fmt::{self, Display, Formatter};

use serde::de::DeserializeOwned;

use self::misnamed::misnamed;
use crate::{
    errors::{FieldError, FieldErrors, parse_integer, parse_variant},
    renditions::{EagerTransformation, Quality},
    settings::Gravity,
    signing::QueryParameter,
};

const WIDTH: &str = "w";
const HEIGHT: &str = "h";
const CROP: &str = "r";
const GRAVITY: &str = "g";
const FORMAT: &str = "f";
const QUALITY: &str = "q";
/// Value of gravity and format that is resolved per image.
const AUTO: &str = "auto";
/// Other name of the format `jpeg`.
const JPG: &str = "jpg";

/// Values of `r`, for error messages.
const CROPS: &str = "scale, fit, fill, crop or thumb";
/// Values of `g`, for error messages.
const GRAVITIES: &str =
    "center, north, northeast, east, southeast, south, southwest, west, northwest or auto";
/// Values of `f`, for error messages.
const FORMATS: &str = "jpeg, jpg, png, webp, avif, gif or auto";
/// Values of `q`, for error messages.
const QUALITIES: &str = "a number from 1 to 100, or auto";

/// Maximum width and height of a transformed image, in pixels.
pub const MAX_SIDE_PIXELS: i64 = 8_192;

/// Parameters that request a transformed image.
pub const TRANSFORMATION_PARAMETERS: [&str; 6] = [WIDTH, HEIGHT, CROP, GRAVITY, FORMAT, QUALITY];

/// A transformation of an image. [`Display`] writes its canonical parameters, such as
/// `w=400&h=300&r=fill&f=webp`, without parameters at their default value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Transformation {
    /// Size of the output; `None` keeps the size of the image.
    pub resize: Option<Resize>,
    /// Format of the output; `None` negotiates it with the client.
    pub format: Option<ImageFormat>,
    /// Quality of the output.
    pub quality: Quality,
}

impl Transformation {
    /// Parses decoded query parameters. Ignores parameters that are not part of transformations,
    /// and returns `None` if there are no others. Fails with all invalid, repeated and misnamed
    /// parameters.
    pub fn parse(parameters: &[QueryParameter<'_>]) -> Result<Option<Transformation>, FieldErrors> {
        let mut reader = ParameterReader::default();
        for parameter in parameters {
            reader.read(&parameter.name, &parameter.value);
        }

        if reader.field_errors.is_empty() {
            Ok((!reader.seen.is_empty()).then(|| reader.requested.transformation()))
        } else {
            Err(reader.field_errors)
        }
    }

    /// Fails if one of the [`TRANSFORMATION_PARAMETERS`] has an invalid value.
    pub fn validate_parameter(name: &str, value: &str) -> Result<(), FieldError> {
        ParameterReader::default().parse(name, value)
    }
}

impl EagerTransformation {
    /// Returns the transformation that requests the same image: with automatic quality, and with a
    /// negotiated format if this one has none.
    pub fn requested(self) -> Transformation {
        let sides = Sides::of(self.width, self.height);
        Transformation {
            resize: sides.map(|sides| Resize::new(sides, Some(self.crop), None)),
            format: self.format,
            quality: Quality::Auto,
        }
    }
}

impl Display for Transformation {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut parameters = self.resize.map(Resize::parameters).unwrap_or_default();
        if let Some(format) = self.format {
            parameters.push(format!("{FORMAT}={}", format.name()));
        }
        if let Quality::Fixed(quality) = self.quality {
            parameters.push(format!("{QUALITY}={quality}"));
        }
        formatter.write_str(&parameters.join("&"))
    }
}

#[derive(Default)]
struct RequestedParameters {
    width: Option<u32>,
    height: Option<u32>,
    crop: Option<Crop>,
    gravity: Option<Focus>,
    format: Option<ImageFormat>,
    quality: Quality,
}

impl RequestedParameters {
    fn transformation(&self) -> Transformation {
        let sides = Sides::of(self.width, self.height);
        Transformation {
            resize: sides.map(|sides| Resize::new(sides, self.crop, self.gravity)),
            format: self.format,
            quality: self.quality,
        }
    }
}

#[derive(Default)]
struct ParameterReader<'a> {
    requested: RequestedParameters,
    seen: Vec<&'a str>,
    field_errors: FieldErrors,
}

impl<'a> ParameterReader<'a> {
    fn read(&mut self, name: &'a str, value: &str) {
        if !TRANSFORMATION_PARAMETERS.contains(&name) {
            if let Some(field_error) = misnamed(name) {
                self.field_errors.add(name, &field_error);
            }
            return;
        }

        let result = if self.seen.contains(&name) {
            Err(FieldError::Duplicate)
        } else {
            self.parse(name, value)
        };
        self.seen.push(name);
        self.field_errors.record(name, result);
    }

    fn parse(&mut self, name: &str, value: &str) -> Result<(), FieldError> {
        let requested = &mut self.requested;

        match name {
            WIDTH => requested.width = Some(parse_pixels(value)?),
            HEIGHT => requested.height = Some(parse_pixels(value)?),
            CROP => requested.crop = Some(parse_named(value, CROPS)?),
            GRAVITY if value == AUTO => requested.gravity = Some(Focus::Auto),
            GRAVITY => {
                let gravity: Gravity = parse_named(value, GRAVITIES)?;
                requested.gravity = Some(Focus::At(gravity));
            }
            FORMAT if value == AUTO => requested.format = None,
            FORMAT if value == JPG => requested.format = Some(ImageFormat::Jpeg),
            FORMAT => requested.format = Some(parse_named(value, FORMATS)?),
            _ if value == AUTO => requested.quality = Quality::Auto,
            _ => {
                let number = parse_integer(value).map_err(|_| FieldError::NotOneOf(QUALITIES))?;
                requested.quality = Quality::from_number(number)?;
            }
        }

        Ok(())
    }
}

/// Returns the variant with this name, or an error that lists the allowed `values`.
fn parse_named<T: DeserializeOwned>(name: &str, values: &'static str) -> Result<T, FieldError> {
    parse_variant(name).map_err(|_| FieldError::NotOneOf(values))
}

fn parse_pixels(value: &str) -> Result<u32, FieldError> {
    let number = parse_integer(value)?;
    if number < 1 {
        return Err(FieldError::TooSmall(1));
    }
    match u32::try_from(number) {
        Ok(pixels) if number <= MAX_SIDE_PIXELS => Ok(pixels),
        _ => Err(FieldError::TooLarge(MAX_SIDE_PIXELS)),
    }
}

#[cfg(test)]
mod tests;
