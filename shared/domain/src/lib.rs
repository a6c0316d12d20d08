//! What is true of Larder without a network: ids, spaces, keys, roles, files, access and faults.
//!
//! Invariant: no async, no AWS, no HTTP, and nothing here reads the machine's time or randomness.

mod access;
mod api_key;
mod confirm_token;
mod error;
mod executable;
mod field_error;
mod file;
mod file_filter;
mod folder;
mod folder_chain;
mod folder_path;
mod id;
mod idempotency;
mod original_name;
mod page;
mod public_https_url;
mod random;
mod rate_limit;
mod referrer;
mod role;
mod secret;
mod security;
mod signature;
mod signed_delivery;
mod signed_upload;
mod space;
mod stored_name;
mod text;
mod time;
mod transformation;
mod upload_config;
mod upload_rules;

pub use access::{
    AccessControl, AccessSource, DeliveryType, EffectiveAccess, EffectiveSecurity, Protection,
    access_revision, requires_auth,
};
pub use api_key::{ApiKey, KeyHash, KeyId, KeyOwner, KeyScope, KeySecret, Principal};
pub use confirm_token::{ConfirmToken, ConfirmTokens};
pub use error::{ErrorKind, ServiceError, error_chain};
pub use executable::{EXECUTABLE, is_executable, require_harmless_name};
pub use field_error::{FieldError, FieldErrors, parse_variant};
pub use file::{
    AtActivation, FILE_BYTES, File, FileStatus, MediaType, PendingUpload, ResourceType,
    StoredContent, UploadTarget,
};
pub use file_filter::{FileFilter, NamePrefix};
pub use folder::{Folder, InFolder};
pub use folder_chain::{FolderChain, Resolution};
pub use folder_path::{FOLDER_DEPTH, FolderName, FolderPath};
pub use id::{FileId, FolderId, IdSequence, InvalidId, Revision, SpaceId, UploadConfigId, UserId};
pub use idempotency::{Completion, IdempotencyKey, IdempotencyReservation, ReservationOutcome};
pub use original_name::OriginalName;
pub use page::{Cursor, Direction, Ends, Listing, Page};
pub use public_https_url::{HostName, PublicHttpsUrl};
pub use random::{Env, Random};
pub use rate_limit::{HourlyQuota, RateLimit, RateLimitStatus, Window};
pub use referrer::{Referrer, ReferrerPattern};
pub use role::Role;
pub use secret::{MasterSecret, Secret};
pub use security::{Opacity, Position, Security, Watermark};
pub use signature::{
    SIGNATURE, Signing, SigningSecret, canonical_form, decoded_parameters, is_signed,
};
pub use signed_delivery::{SignedDelivery, signed_query};
pub use signed_upload::{PresentedUpload, ROOT_FOLDER, SignatureError, SignedFolder, SignedUpload};
pub use space::{Closing, FolderMode, Handle, NewSpace, Space};
pub use text::{Description, KeyName, Reference, SpaceName};
pub use time::{Clock, Timestamp};
pub use transformation::{TRANSFORMATION_PARAMETERS, validate_transformation};
pub use upload_config::{
    ANONYMOUS_FILE_BYTES, NewUploadConfig, REFERRERS, UPLOADS_PER_HOUR, UnsignedRestrictions,
    UploadConfig, UploadConfigName, UploadConfigReference,
};
pub use upload_rules::{
    ALLOWED_FORMATS, Crop, EAGER, Eager, Extension, ImageFormat, MetadataRules, NotificationRules,
    Quality, SIDE_PIXELS, StorageRules, TAGS, Tag, TransformationRules, UploadFormat, UploadRules,
    ValidationRules, WebhookEvent,
};
