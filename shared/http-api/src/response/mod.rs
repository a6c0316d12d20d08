//! Responses, and the JSON of files in them.

mod api_error;
mod deletion;
mod file_fields;
mod precondition;
mod responses;
mod rfc3339;
mod url_signer;
mod views;

pub use api_error::{ApiError, PartError};
pub use deletion::Deletion;
pub use file_fields::FileFields;
pub use precondition::{Precondition, Validators};

pub(crate) use responses::created_body;
pub use responses::{Accepted, Created, CreatedUnwrapped, Data, NoContent, Replay};
pub use rfc3339::Rfc3339;
pub use url_signer::UrlSigner;
pub use views::{AnonymousFileView, FileView, SelectedFileView, ThumbnailView, file_url};
