//! Naming: validated texts, file and folder names, host names and URLs.

mod folder_path;
mod host_pattern;
mod original_name;
mod public_address;
pub(crate) mod public_https_url;
pub(crate) mod stored_name;
pub(crate) mod text;

pub use folder_path::{FolderName, FolderPath, MAX_FOLDER_DEPTH};
pub use host_pattern::HostPattern;
pub use original_name::OriginalName;
pub use public_address::is_public_address;
pub use public_https_url::{HostName, PublicHttpsUrl, UrlPolicy};
pub use text::{Description, KeyName, Reference, SpaceName};
