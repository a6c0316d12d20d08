//! Reasons of failed writes, and the errors that API callers get for them.

use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    requests::QuotaScope,
};

use crate::errors::TableError;

/// The condition of a write that did not hold. Nothing was written.
///
/// Ordered by significance: if several conditions fail, the first of this list is reported. A
/// version conflict precedes the others because they may result from the outdated record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Another request took over the idempotency reservation.
    ReservationLost,
    /// A record changed or was deleted since it was read.
    VersionConflict,
    /// There is a first user.
    FirstUserExists,
    /// The name is taken.
    NameTaken,
    /// The storage path is taken by another file.
    PathTaken,
    /// The handle is taken by another space, which may be deleted.
    HandleTaken,
    /// The space's new active upload config does not exist.
    ConfigMissing,
    /// The upload config is its space's active one.
    ConfigActive,
    /// The target folder was deleted or is being deleted.
    FolderUnavailable,
    /// The space was deleted.
    SpaceDeleted,
    /// The hourly quota of uploads is exhausted in this scope.
    QuotaExhausted(QuotaScope),
    /// Too many webhooks are being sent for the space or to the host.
    NoSlot,
    /// A generated id is already in use.
    IdTaken,
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A condition does not hold. Nothing was written.
    #[error("a condition failed: {0:?}")]
    ConditionFailed(Reason),
    /// The call failed. It is unknown whether anything was written.
    #[error(transparent)]
    Failed(#[from] TableError),
}

impl WriteError {
    /// Returns the error of a request, with the name of the file in the message if its storage path
    /// is taken.
    pub fn of_file(self, name: &str) -> ServiceError {
        match self {
            WriteError::ConditionFailed(Reason::PathTaken) => {
                file_exists(&format!("named `{name}`"))
            }
            error => error.into(),
        }
    }
}

/// Returns the 409 of a file whose storage path is taken.
fn file_exists(which: &str) -> ServiceError {
    let message = format!(
        "A file {which} already exists. Rename the file, or use an upload config with `unique_filename`."
    );
    ServiceError::conflict(message, "file", FieldError::Taken)
}

impl From<WriteError> for ServiceError {
    fn from(error: WriteError) -> ServiceError {
        let reason = match error {
            WriteError::ConditionFailed(reason) => reason,
            WriteError::Failed(error) => return error.into(),
        };

        match reason {
            Reason::NameTaken => FieldErrors::from(("name", FieldError::Taken)).into(),
            Reason::PathTaken => file_exists("with this name"),
            Reason::ConfigMissing => {
                FieldErrors::from(("active_upload_config_id", FieldError::InvalidSelection)).into()
            }
            Reason::ConfigActive => {
                let message = "This upload config is active. Activate another upload config of the space first.";
                ServiceError::conflict(
                    message,
                    "id",
                    FieldError::Custom("must not be the id of the active upload config"),
                )
            }
            Reason::SpaceDeleted => ServiceError::not_found(),
            Reason::ReservationLost | Reason::VersionConflict | Reason::FolderUnavailable => {
                ServiceError::contended(error)
            }
            Reason::HandleTaken
            | Reason::QuotaExhausted(_)
            | Reason::NoSlot
            | Reason::IdTaken
            | Reason::FirstUserExists => ServiceError::unavailable(error),
        }
    }
}
