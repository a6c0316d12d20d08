//! Parameters that were probably meant to transform the image.
//!
//! Unknown parameters are ignored, because links get parameters for campaigns and caches. A misspelled
//! transformation would deliver the original without an error, so its probable names are rejected.

use crate::FieldError;

/// Names that other services use for the parameters, in lower case, and the errors that they get.
const MISNAMED: [(&str, &str); 15] = [
    ("w", "is not a parameter; use w"),
    ("width", "is not a parameter; use w"),
    ("h", "is not a parameter; use h"),
    ("height", "is not a parameter; use h"),
    ("r", "is not a parameter; use r"),
    ("resize", "is not a parameter; use r"),
    ("crop", "is not a parameter; use r"),
    ("fit", "is not a parameter; use r"),
    ("g", "is not a parameter; use g"),
    ("gravity", "is not a parameter; use g"),
    ("f", "is not a parameter; use f"),
    ("format", "is not a parameter; use f"),
    ("q", "is not a parameter; use q"),
    ("quality", "is not a parameter; use q"),
    (
        "dpr",
        "is not a parameter; multiply w and h by the pixel ratio",
    ),
];

/// Returns the error of a parameter that is none of a transformation, but probably meant to be one.
pub(super) fn misnamed(name: &str) -> Option<FieldError> {
    let mut candidates = MISNAMED.iter();
    let (_, error) = candidates.find(|(candidate, _)| name.eq_ignore_ascii_case(candidate))?;
    Some(FieldError::Custom(error))
}
