//! How requests name folders: by id, where `root` is none, and by a path down from there.

use domain::{Fault, FolderId, FolderPath, NotAnId, ROOT_FOLDER, SignedFolder, Violation, Violations};
use tenant::{FolderTarget, Space, TargetRefused};

use crate::{Change, Fields};

/// The field that names a folder.
pub const FOLDER_ID: &str = "folder_id";
/// The field that names a path down from it.
pub const FOLDER_PATH: &str = "folder_path";

/// Reads a folder's id, or `root`.
pub fn folder_reference(text: &str) -> Result<Option<FolderId>, Violation> {
    if text == ROOT_FOLDER { Ok(None) } else { text.parse().map(Some).map_err(|_: NotAnId| Violation::Unknown) }
}

/// Where a request puts files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFolder {
    from: Option<FolderId>,
    path: Option<FolderPath>,
}

impl NamedFolder {
    /// No folder.
    pub const TOP: NamedFolder = NamedFolder { from: None, path: None };

    /// What is at a path from the top.
    pub fn at(path: FolderPath) -> NamedFolder {
        NamedFolder { from: None, path: Some(path) }
    }

    /// Returns the folder that a signed URL is for.
    pub fn signed(folder: SignedFolder) -> NamedFolder {
        NamedFolder { from: folder.id(), path: None }
    }

    /// Reads where a request puts files; cleared, where it names the folder by null.
    pub fn read(fields: &mut Fields) -> Change<NamedFolder> {
        let from = fields.change(FOLDER_ID, folder_reference);
        let path = fields.optional(FOLDER_PATH, FolderPath::parse);
        if fields.has(FOLDER_PATH) && !fields.has(FOLDER_ID) {
            fields.violate(FOLDER_ID, &Violation::RequiredWith(FOLDER_PATH));
        }
        match from {
            Change::Set(from) => Change::Set(NamedFolder { from, path }),
            Change::Clear => Change::Clear,
            Change::Keep => Change::Keep,
        }
    }

    /// What there is of it in a space.
    pub async fn target(&self, space: &Space) -> Result<Result<FolderTarget, Violations>, Fault> {
        let target = space.folder_target(self.from, self.path.as_ref()).await?;
        Ok(target.map_err(|refused| match refused {
            TargetRefused::Folder(violation) => (FOLDER_ID, violation).into(),
            TargetRefused::Path(violation) => (FOLDER_PATH, violation).into(),
        }))
    }
}
