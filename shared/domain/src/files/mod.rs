//! Files: records, names, properties and filters of lists.

mod activation_snapshot;
mod custom_metadata;
mod decoders;
mod executable;
mod file;
mod filter;
mod media_type;
mod processed_media;
mod stored_name;
mod thumbnails;
mod trash;
mod usage;

pub use activation_snapshot::{ActivatedContent, ActivationSnapshot};
pub use custom_metadata::{CustomMetadata, MAX_METADATA_VALUES};
pub use decoders::Decoders;
pub use executable::{EXECUTABLE_FILE, is_executable, reject_executable_name};
pub use file::{File, FileProperties, MAX_FILE_BYTES, PendingUpload, StoredContent, UploadTarget};
pub use filter::{CreationRange, FileFilter, FileList, ListOrder, NamePrefix};
pub use media_type::{MediaType, ResourceType};
pub use processed_media::{
    ExifValue, MAX_EXIF_BYTES, ProcessedMedia, ProcessingStatus, StorageMeta,
};
pub use thumbnails::Thumbnail;
pub use trash::Trash;
pub use usage::{FileCount, Usage};
