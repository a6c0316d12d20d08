//! Selection of a resource by an id in the query or in the body.

use domain::{
    errors::{FieldError, FieldErrors},
    id::FileId,
};

use crate::{
    caller::ResourceId,
    fields::{FieldReader, FromFields},
};

/// The field and the query parameter of the id of a resource.
pub const ID: &str = "id";

/// The id of a resource in one part of a request, if present.
pub struct ResourceSelector {
    pub id: Option<String>,
}

impl FromFields for ResourceSelector {
    fn read(fields: &mut impl FieldReader) -> Option<ResourceSelector> {
        let id = fields.optional(ID, ResourceId::parse);
        fields.describe(ID, "Id of the resource.");
        Some(ResourceSelector {
            id: id.map(|id| id.0),
        })
    }
}

impl From<FileId> for ResourceSelector {
    fn from(id: FileId) -> ResourceSelector {
        ResourceSelector {
            id: Some(id.to_string()),
        }
    }
}

impl ResourceSelector {
    /// Fails with 422 if both have an id and the ids differ, ignoring case.
    pub fn require_same(&self, other: &ResourceSelector) -> Result<(), FieldErrors> {
        match (&self.id, &other.id) {
            (Some(id), Some(other_id)) if !id.eq_ignore_ascii_case(other_id) => Err((
                ID,
                FieldError::Custom("must be the same in the path, the query and the body"),
            )
                .into()),
            _ => Ok(()),
        }
    }
}
