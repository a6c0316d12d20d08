//! What is left of deleted spaces, files that are due to be purged, and the progress of the sweep.

mod purge;
mod sweep;

pub use purge::{PurgePage, PurgedFile};
pub use sweep::{DueFiles, FileRevision};
