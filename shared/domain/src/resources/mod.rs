//! Resources: the stored records of spaces, folders and files.

mod delivery_space;
mod file;
mod file_filter;
mod folder;
mod folder_chain;
mod image_size;
mod processed_media;
mod space;
mod thumbnails;

pub use delivery_space::{DeliverySpace, InheritedSettings};
pub use file::{
    ActivationSnapshot, File, FileProperties, FileStatus, MAX_FILE_BYTES, MediaType, PendingUpload,
    ResourceType, StoredContent, UploadTarget,
};
pub use file_filter::{FileFilter, NamePrefix};
pub use folder::{Folder, FolderRef};
pub use folder_chain::{FolderChain, Resolution};
pub use image_size::{ImageSize, proportional};
pub use processed_media::{
    ExifValue, MAX_EXIF_BYTES, ProcessedMedia, ProcessingStatus, StorageMeta,
};
pub use space::{DeleteLock, FolderMode, Handle, NewSpace, Space};
pub use thumbnails::Thumbnail;
