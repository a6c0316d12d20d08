//! How requests name folders: by id, where `root` is none, and by a path down from there.

use domain::{FolderId, FolderPath, NotAnId, ROOT_FOLDER, Violation};
use tenant::FolderSelector;

use crate::{Change, Fields};

/// The field that names a folder.
pub const FOLDER_ID: &str = "folder_id";
/// The field that names a path down from it.
pub const FOLDER_PATH: &str = "folder_path";

/// Reads a folder's id, or `root`.
pub fn folder_reference(text: &str) -> Result<Option<FolderId>, Violation> {
    if text == ROOT_FOLDER { Ok(None) } else { text.parse().map(Some).map_err(|_: NotAnId| Violation::Unknown) }
}

/// Reads the folder that a request selects; cleared if its id is null.
pub fn read_folder(fields: &mut Fields) -> Change<FolderSelector> {
    let from = fields.change(FOLDER_ID, folder_reference);
    let path = fields.optional(FOLDER_PATH, FolderPath::parse);
    if fields.has(FOLDER_PATH) && !fields.has(FOLDER_ID) {
        fields.violate(FOLDER_ID, &Violation::RequiredWith(FOLDER_PATH));
    }

    match from {
        Change::Set(from) => Change::Set(FolderSelector { from, path }),
        Change::Clear => Change::Clear,
        Change::Keep => Change::Keep,
    }
}
