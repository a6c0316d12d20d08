//! Spaces: records, and what delivery reads of them.

mod delivery_space;
mod space;
mod usage;

pub use delivery_space::{DeliverySpace, InheritedSettings};
pub use space::{DeleteLock, FolderMode, Handle, NewSpace, Space};
pub use usage::{FileCount, Usage};
