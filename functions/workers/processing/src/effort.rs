//! How much of a file a job reads.

use domain::files::File;
use space_store::jobs::ProcessingJob;
use worker::{JobContext, LAST_FULL_RECEIVE};

/// How much of a file a job reads. A job that was received often may have killed its process, so it
/// reads less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Everything: the pixels of an image, the headers of another file.
    Full,
    /// The headers of an image.
    Headers,
    Nothing,
}

impl Effort {
    /// Returns the effort of a job: the headers are read once after the last full receive.
    pub(crate) fn of(job: &ProcessingJob, context: &JobContext) -> Effort {
        if !context.may_kill_process(job.announced_at) {
            Effort::Full
        } else if context.receive_count == LAST_FULL_RECEIVE + 1 {
            Effort::Headers
        } else {
            Effort::Nothing
        }
    }

    /// Logs that a file is not read completely.
    pub(crate) fn log(self, file: &File, context: &JobContext) {
        if self == Effort::Full {
            return;
        }
        let file_id = file.id;
        let receive_count = context.receive_count;
        tracing::warn!(%file_id, receive_count, effort = ?self, "the file may kill the function, so it is not decoded");
    }
}
