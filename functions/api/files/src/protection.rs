//! Rejects changes that lower the protection of a file, unless the caller is an admin.

use domain::{
    access::Protection, errors::ServiceError, files::File, folders::FolderChain, id::FolderId,
    keys::Role,
};
use space_store::spaces::SpaceScope;

/// The folders of a file before and after a change, as read for one request.
pub(crate) struct ProtectionCheck<'a> {
    pub(crate) space: &'a SpaceScope,
    /// The file's folder when it was read.
    pub(crate) folder_before: Option<FolderId>,
    /// The file's folder and its ancestors. `None` if one of them is missing.
    pub(crate) before: Option<&'a FolderChain>,
    /// The same after the change. `None` if the change does not move the file.
    pub(crate) after: Option<&'a FolderChain>,
}

impl ProtectionCheck<'_> {
    /// Fails with 403 if the caller is not an admin and the change lowers the protection of the
    /// file. Fails with 503 if a concurrent request has moved the file, so that the two cannot be
    /// compared.
    pub(crate) fn require_allowed(&self, from: &File, to: &File) -> Result<(), ServiceError> {
        let is_same_folder = from.folder_id() == to.folder_id();
        let is_same_type = from.delivery_type == to.delivery_type;
        let is_unchanged = is_same_folder && is_same_type;
        if is_unchanged || self.space.role() >= Role::Admin {
            return Ok(());
        }
        if from.folder_id() != self.folder_before {
            return Err(ServiceError::contended(
                "another request has moved the file",
            ));
        }

        let record = self.space.record();
        let before = Protection::of(from, self.before, record);
        let after = Protection::of(to, self.after.or(self.before), record);
        if after.is_weaker_than(before) {
            return Err(ServiceError::forbidden(
                "Lowering the protection of a file requires the role admin or higher.",
            ));
        }
        Ok(())
    }
}
