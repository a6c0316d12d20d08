//! Parameters that were probably meant to transform the image.
//!
//! Unknown parameters are ignored, because links get parameters for campaigns and caches. A
//! misspelled transformation would deliver the original without an error, so its probable names are
//! rejected.

use std::iter;

use crate::errors::FieldError;

/// Names that other services use for the parameters, or their own in another case, and the errors
/// that they get.
const MISNAMED: [(&str, &str); 15] = [
    ("W", "is not supported; use w"),
    ("width", "is not supported; use w"),
    ("H", "is not supported; use h"),
    ("height", "is not supported; use h"),
    ("R", "is not supported; use r"),
    ("resize", "is not supported; use r"),
    ("crop", "is not supported; use r"),
    ("fit", "is not supported; use r"),
    ("G", "is not supported; use g"),
    ("gravity", "is not supported; use g"),
    ("F", "is not supported; use f"),
    ("format", "is not supported; use f"),
    ("Q", "is not supported; use q"),
    ("quality", "is not supported; use q"),
    (
        "dpr",
        "is not supported; multiply w and h by the pixel ratio",
    ),
];

/// Returns the names of fields that were probably meant as parameters of a transformation, with
/// their errors.
pub fn misnamed_transformation_fields() -> impl Iterator<Item = (&'static str, FieldError)> {
    let object = (
        "transformation",
        "is not supported; use w, h, r, g, f and q",
    );
    iter::once(object)
        .chain(MISNAMED)
        .map(|(name, error)| (name, FieldError::Custom(error)))
}

/// Returns the error of a parameter that is none of a transformation, but probably meant to be one.
pub(super) fn misnamed(name: &str) -> Option<FieldError> {
    let mut candidates = MISNAMED.iter();
    let (_, error) = candidates.find(|(candidate, _)| name.eq_ignore_ascii_case(candidate))?;
    Some(FieldError::Custom(error))
}
