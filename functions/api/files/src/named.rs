//! Files that a request names in its query or its body.

use domain::{FieldError, FieldErrors};
use web::{FieldReader, FromFields, ResourceId};

/// The field and the query parameter that name a file.
pub(crate) const ID: &str = "id";

/// The id of a file, where a request names one.
pub(crate) struct FileName {
    pub(crate) id: Option<String>,
}

impl FromFields for FileName {
    fn read(fields: &mut impl FieldReader) -> Option<FileName> {
        Some(FileName {
            id: fields.optional(ID, ResourceId::parse).map(|id| id.0),
        })
    }
}

impl FileName {
    /// Fails with 422 if both name a file, and not the same one; upper and lower case are the same.
    pub(crate) fn require_same(&self, other: &FileName) -> Result<(), FieldErrors> {
        let differs = |one: &String, other: &String| !one.eq_ignore_ascii_case(other);
        match (&self.id, &other.id) {
            (Some(one), Some(other)) if differs(one, other) => Err((
                ID,
                FieldError::Custom("must be the same wherever the request names it"),
            )
                .into()),
            _ => Ok(()),
        }
    }
}
