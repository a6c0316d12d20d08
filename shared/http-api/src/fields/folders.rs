//! Fields `folder_id` and `folder_path`, which select a folder.

use domain::{
    errors::FieldError,
    folders::FolderPath,
    id::{FolderId, InvalidId},
    uploads::ROOT_FOLDER,
};
use schemars::JsonSchema;
use space_store::folders::FolderSelector;

use crate::fields::{FieldReader, Patch};

/// Field with the id of a folder, or `root`.
pub const FOLDER_ID: &str = "folder_id";
/// Field with a path relative to that folder.
pub const FOLDER_PATH: &str = "folder_path";

/// The id of a folder; `None` for `root`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(
    with = "String",
    description = "Id of a folder, or `root` for no folder.",
    extend("pattern" = "^(root|[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25})$")
)]
pub struct FolderReference(pub Option<FolderId>);

impl FolderReference {
    /// Parses an id or `root`.
    pub fn parse(text: &str) -> Result<FolderReference, FieldError> {
        if text == ROOT_FOLDER {
            return Ok(FolderReference(None));
        }
        text.parse()
            .map(|id| FolderReference(Some(id)))
            .map_err(|_: InvalidId| FieldError::InvalidSelection)
    }
}

/// Reads the folder that a request selects.
pub fn read_folder(fields: &mut impl FieldReader) -> Patch<FolderSelector> {
    let from = fields.patch(FOLDER_ID, FolderReference::parse);
    let path = fields.optional(FOLDER_PATH, FolderPath::parse);
    fields.describe(
        FOLDER_ID,
        "Folder of the files: an id, or `root` for no folder.",
    );
    fields.describe(
        FOLDER_PATH,
        "Path of a folder below `folder_id`, which is then required (`root` for the top): \
         `photos/vacation`. Missing folders are created if the caller is an admin.",
    );

    if fields.has_value(FOLDER_PATH) && !fields.has_value(FOLDER_ID) {
        fields.reject(FOLDER_ID, &FieldError::RequiredWith(FOLDER_PATH));
    }

    match from {
        Patch::Set(FolderReference(from)) => Patch::Set(FolderSelector { from, path }),
        Patch::Clear => Patch::Clear,
        Patch::Keep => Patch::Keep,
    }
}
