//! Forms with files: how they are read, and how many at a time.

mod form;
mod in_flight;
mod reader;

pub(crate) use form::{FormFiles, UploadForm, describe_files};
pub(crate) use in_flight::FormsInFlight;
pub(crate) use reader::{FormShape, UnreadForm};
