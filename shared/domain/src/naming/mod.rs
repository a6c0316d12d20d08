//! Naming: validated texts, file and folder names, host names and URLs.

mod host_pattern;
mod public_address;
pub(crate) mod public_https_url;
pub(crate) mod text;

pub use host_pattern::HostPattern;
pub use public_address::is_public_address;
pub use public_https_url::{HostName, PublicHttpsUrl, UrlPolicy};
pub use text::{AltText, Description, KeyName, MetadataValue, Reference, SpaceName, Title};
