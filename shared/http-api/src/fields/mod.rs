//! Fields of requests, and values that several routes read.

mod access_settings;
mod expiration;
mod field_reader;
mod field_source;
mod folders;
mod force;
mod input_fields;

pub use access_settings::{AccessControlChange, FolderSecurityChange, SecurityChange};

pub use expiration::{read_expires_seconds, read_optional_expires_seconds};
pub use field_reader::{FieldReader, FromFields, Patch};
pub use field_source::{Absence, FieldSource};
pub use folders::{FOLDER_ID, FOLDER_PATH, FolderReference, read_folder};
pub use force::{Force, query_boolean};
pub use input_fields::InputFields;
