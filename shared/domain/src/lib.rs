//! The domain model: identifiers, names, stored records, access control and signed URLs.
//!
//! Invariants:
//! - No async code, no AWS types, no HTTP types.
//! - Nothing here reads the system clock or the system's random source: callers pass an [`Env`].

mod access;
mod delivery;
mod env;
mod identity;
mod naming;
mod requests;
mod resources;
mod signing;
mod uploads;

pub use access::{
    AccessControl, AccessSource, DeliveryType, EffectiveAccess, EffectiveSecurity, Protection,
    access_revision, requires_auth,
};
pub use delivery::{
    Opacity, Position, Security, SignedDelivery, TRANSFORMATION_PARAMETERS, Watermark,
    signed_query, validate_transformation,
};
pub use env::{Clock, Env, Random, Timestamp};
pub use identity::{
    ApiKey, FileId, FolderId, IdSequence, InvalidId, KeyHash, KeyId, KeyOwner, KeyScope, KeySecret,
    Principal, Revision, Role, SpaceId, UploadConfigId, UserId,
};
pub use naming::{
    Description, FOLDER_DEPTH, FolderName, FolderPath, HostName, KeyName, OriginalName,
    PublicHttpsUrl, Reference, SpaceName,
};
pub use requests::{
    Completion, Cursor, Direction, Ends, ErrorKind, FieldError, FieldErrors, HourlyQuota,
    IdempotencyKey, IdempotencyReservation, Listing, Page, RateLimit, RateLimitStatus,
    ReservationOutcome, ServiceError, Window, error_chain, parse_variant,
};
pub use resources::{
    AtActivation, Closing, FILE_BYTES, File, FileFilter, FileStatus, Folder, FolderChain,
    FolderMode, Handle, InFolder, MediaType, NamePrefix, NewSpace, PendingUpload, Resolution,
    ResourceType, Space, StoredContent, UploadTarget,
};
pub use signing::{
    MasterSecret, SIGNATURE, Secret, Signing, SigningSecret, canonical_form, decoded_parameters,
    is_signed,
};
pub use uploads::{
    ALLOWED_FORMATS, ANONYMOUS_FILE_BYTES, ConfirmToken, ConfirmTokens, Crop, EAGER, EXECUTABLE,
    Eager, Extension, ImageFormat, MetadataRules, NewUploadConfig, NotificationRules,
    PresentedUpload, Quality, REFERRERS, ROOT_FOLDER, Referrer, ReferrerPattern, SIDE_PIXELS,
    SignatureError, SignedFolder, SignedUpload, StorageRules, TAGS, Tag, TransformationRules,
    UPLOADS_PER_HOUR, UnsignedRestrictions, UploadConfig, UploadConfigName, UploadConfigReference,
    UploadFormat, UploadRules, ValidationRules, WebhookEvent, is_executable, require_harmless_name,
};
