//! Uploads: upload configs with their rules, signed upload URLs and confirm tokens.

mod confirm_token;
mod processing_rules;
mod referrer;
mod signed_url;
mod upload_config;
mod upload_rules;

pub use confirm_token::{ConfirmToken, ConfirmTokens};
pub use processing_rules::ProcessingRules;
pub use referrer::Referrer;
pub use signed_url::{ROOT_FOLDER, SignedFolder, SignedUploadUrl, SigningApiKey, UploadPermit};
pub use upload_config::{
    MAX_ANONYMOUS_FILE_BYTES, MAX_REFERRERS, MAX_UPLOADS_PER_HOUR, NewUploadConfig,
    UnsignedRestrictions, UploadConfig, UploadConfigName, UploadConfigReference,
};
pub use upload_rules::{
    FormatName, MAX_ALLOWED_FORMATS, MetadataRules, StorageRules, TransformationRules,
    UNKNOWN_FORMAT, UploadFormat, UploadRules, ValidationRules,
};
