//! Folders: records, chains of ancestors, and paths.

mod chain;
mod folder;
mod path;

pub use chain::{FolderChain, Resolution};
pub use folder::{Folder, FolderRef};
pub use path::{FolderName, FolderPath, MAX_FOLDER_DEPTH};
