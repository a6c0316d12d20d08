//! What is true of Larder without a network: ids, spaces, keys, roles, files, access and faults.
//!
//! Invariant: no async, no AWS, no HTTP, and nothing here reads the machine's time or randomness.

mod access;
mod api_key;
mod confirm_token;
mod executable;
mod fault;
mod file;
mod file_filter;
mod folder;
mod folder_chain;
mod folder_path;
mod id;
mod idempotency;
mod original_name;
mod page;
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
mod violation;
mod web_address;

pub use access::{
    AccessControl, AccessSource, DeliveryType, EffectiveAccess, EffectiveSecurity, Protection,
    access_revision, original_needs_proof,
};
pub use api_key::{ApiKey, KeyHash, KeyId, KeyOwner, KeyScope, KeySecret, Principal};
pub use confirm_token::{ConfirmToken, ConfirmTokens};
pub use executable::{EXECUTABLE, demand_harmless_name, is_executable};
pub use fault::{Fault, FaultKind, error_chain};
pub use file::{
    AtActivation, FILE_BYTES, File, FileStatus, MediaType, PendingUpload, ResourceType,
    StoredContent, UploadTarget,
};
pub use file_filter::{FileFilter, NamePrefix};
pub use folder::{Folder, InFolder};
pub use folder_chain::{FolderChain, Linked};
pub use folder_path::{FOLDER_DEPTH, FolderName, FolderPath};
pub use id::{ChosenIds, FileId, FolderId, NotAnId, Revision, SpaceId, UploadConfigId, UserId};
pub use idempotency::{Completion, IdempotencyKey, IdempotencyReservation, ReservationOutcome};
pub use original_name::OriginalName;
pub use page::{Cursor, Direction, Ends, Listing, Page};
pub use random::{Random, Sources};
pub use rate_limit::{Allowance, HourlyQuota, RateLimit, Window};
pub use referrer::{Referrer, ReferrerPattern};
pub use role::Role;
pub use secret::{MasterSecret, Secret};
pub use security::{Opacity, Position, Security, Watermark};
pub use signature::{
    SIGNATURE, Signing, SigningSecret, canonical_form, decoded_parameters, is_signed,
};
pub use signed_delivery::{DeliveryProof, signed_query};
pub use signed_upload::{NotSigned, PresentedUpload, ROOT_FOLDER, SignedFolder, SignedUpload};
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
pub use violation::{Violation, Violations, parse_variant};
pub use web_address::{HostName, WebAddress};
