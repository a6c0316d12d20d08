//! Resources: the stored records of spaces, folders and files.

mod file;
mod file_filter;
mod folder;
mod folder_chain;
mod space;

pub use file::{
    AtActivation, FILE_BYTES, File, FileStatus, MediaType, PendingUpload, ResourceType,
    StoredContent, UploadTarget,
};
pub use file_filter::{FileFilter, NamePrefix};
pub use folder::{Folder, InFolder};
pub use folder_chain::{FolderChain, Resolution};
pub use space::{Closing, FolderMode, Handle, NewSpace, Space};
