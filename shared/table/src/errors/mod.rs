//! Errors of reads and of writes.

mod table_error;
mod write_error;

pub use table_error::TableError;
pub use write_error::{Reason, WriteError};
