//! Naming: validated texts and tags, names of files, sizes of images, host names and URLs.

mod host_pattern;
mod image_size;
mod original_name;
mod public_address;
pub(crate) mod public_https_url;
mod slug;
mod tag;
pub(crate) mod text;

pub use host_pattern::HostPattern;
pub use image_size::{ImageSize, proportional};
pub use original_name::OriginalName;
pub use public_address::is_public_address;
pub use public_https_url::{HostName, PublicHttpsUrl, UrlPolicy};
pub(crate) use slug::slug;
pub use tag::{MAX_TAGS, Tag};
pub use text::{AltText, Description, KeyName, MetadataValue, Reference, SpaceName, Title};
