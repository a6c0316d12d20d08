//! Refuses changes by which a user would lower the protection of a file. Only admins may lower it.

use domain::{File, FolderChain, FolderId, Protection, Role, ServiceError};
use tenant::SpaceScope;

/// Where a file is before a change and after it, as read for one request.
pub(crate) struct ProtectionCheck<'a> {
    pub(crate) space: &'a SpaceScope,
    /// The folder that the file was read in.
    pub(crate) folder_before: Option<FolderId>,
    /// The folders around the file; `None` if one of them is missing.
    pub(crate) before: Option<&'a FolderChain>,
    /// The folders around the file after the change; `None` if the change does not name any.
    pub(crate) after: Option<&'a FolderChain>,
}

impl ProtectionCheck<'_> {
    /// Fails with 403 if the caller is no admin and delivery would protect the file less than
    /// before. Fails with 503 if that cannot be compared, since another request has moved the file
    /// in the meantime.
    pub(crate) fn require_allowed(&self, from: &File, to: &File) -> Result<(), ServiceError> {
        let is_same = (from.folder_id(), from.delivery_type) == (to.folder_id(), to.delivery_type);
        if is_same || self.space.role() >= Role::Admin {
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
        if after.is_lowered_from(before) {
            return Err(ServiceError::forbidden(
                "This change lowers the protection of the file, which needs the role admin or a higher one.",
            ));
        }
        Ok(())
    }
}
