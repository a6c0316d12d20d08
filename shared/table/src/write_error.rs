//! Why a write failed, and what its caller is told.

use domain::{FieldError, FieldErrors, ServiceError};

use crate::TableError;

/// The condition of a write that did not hold. Nothing was written.
///
/// If several fail, the first of this list is reported: what was read before the write is out of
/// date, so the others may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Another request took over the reservation of this one.
    ReservationLost,
    /// A record changed or was deleted since it was read.
    VersionConflict,
    /// Another record has the name.
    NameTaken,
    /// Another file has the storage path.
    PathTaken,
    /// Another space has, or had, the handle.
    HandleTaken,
    /// The space's new active upload config does not exist.
    ConfigMissing,
    /// The upload config is its space's active one.
    ConfigActive,
    /// The target folder was deleted or is being deleted.
    FolderClosed,
    /// The space was deleted.
    SpaceDeleted,
    /// The uploads of the hour are used up.
    QuotaExhausted,
    /// A new id is in use.
    IdTaken,
}

/// A failed write.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A condition did not hold. Nothing was written.
    #[error("a condition failed: {0:?}")]
    ConditionFailed(Reason),
    /// The table failed. Whether anything was written is unknown.
    #[error(transparent)]
    Failed(#[from] TableError),
}

impl From<WriteError> for ServiceError {
    fn from(error: WriteError) -> ServiceError {
        let reason = match error {
            WriteError::ConditionFailed(reason) => reason,
            WriteError::Failed(error) => return error.into(),
        };
        match reason {
            Reason::NameTaken => FieldErrors::from(("name", FieldError::Taken)).into(),
            Reason::PathTaken => ServiceError::conflict(
                "A file with this name already exists.",
                "file",
                FieldError::Taken,
            ),
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
            Reason::ReservationLost | Reason::VersionConflict | Reason::FolderClosed => {
                ServiceError::contended(error)
            }
            Reason::HandleTaken | Reason::QuotaExhausted | Reason::IdTaken => {
                ServiceError::unavailable(error)
            }
        }
    }
}
