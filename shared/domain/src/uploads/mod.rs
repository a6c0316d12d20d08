//! Uploads: upload configs with their rules, signed upload URLs and confirm tokens.

mod confirm_token;
mod executable;
mod referrer;
mod signed_upload;
mod upload_config;
mod upload_rules;

pub use confirm_token::{ConfirmToken, ConfirmTokens};
pub use executable::{EXECUTABLE, is_executable, require_harmless_name};
pub use referrer::{Referrer, ReferrerPattern};
pub use signed_upload::{PresentedUpload, ROOT_FOLDER, SignatureError, SignedFolder, SignedUpload};
pub use upload_config::{
    ANONYMOUS_FILE_BYTES, NewUploadConfig, REFERRERS, UPLOADS_PER_HOUR, UnsignedRestrictions,
    UploadConfig, UploadConfigName, UploadConfigReference,
};
pub use upload_rules::{
    ALLOWED_FORMATS, Crop, EAGER, Eager, Extension, ImageFormat, MetadataRules, NotificationRules,
    Quality, SIDE_PIXELS, StorageRules, TAGS, Tag, TransformationRules, UploadFormat, UploadRules,
    ValidationRules, WebhookEvent,
};
