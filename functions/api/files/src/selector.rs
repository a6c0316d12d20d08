//! Selection of a file by an id in the query or in the body.

use domain::{FieldError, FieldErrors, FileId};
use http_api::{FieldReader, FromFields, ResourceId};

/// The field and the query parameter of a file's id.
pub(crate) const ID: &str = "id";

/// The id of a file in one part of a request, if present.
pub(crate) struct FileSelector {
    pub(crate) id: Option<String>,
}

impl FromFields for FileSelector {
    fn read(fields: &mut impl FieldReader) -> Option<FileSelector> {
        let id = fields.optional(ID, ResourceId::parse);
        fields.describe(ID, "Id of the file.");
        Some(FileSelector {
            id: id.map(|id| id.0),
        })
    }
}

impl From<FileId> for FileSelector {
    fn from(id: FileId) -> FileSelector {
        FileSelector {
            id: Some(id.to_string()),
        }
    }
}

impl FileSelector {
    /// Fails with 422 if both have an id and the ids differ, ignoring case.
    pub(crate) fn require_same(&self, other: &FileSelector) -> Result<(), FieldErrors> {
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
