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
mod webhooks;

pub use access::{
    AccessControl, AccessSource, DeliveryType, EffectiveAccess, EffectiveSecurity,
    EffectiveWatermark, Protection, SettingSource, access_revision, renditions_require_auth,
    requires_auth,
};
pub use delivery::{
    AppliedWatermark, Crop, Focus, FolderSecurity, Gravity, ImageFormat, MAX_SIDE_PIXELS, Opacity,
    Rendition, RenditionId, RenditionLocation, RenditionOutput, Resize, Retention, Security, Sides,
    SignedDelivery, TRANSFORMATION_PARAMETERS, Transformation, TransformationPolicy, Watermark,
    misnamed_transformation_fields, signed_query,
};
pub use env::{Clock, Env, Random, Timestamp};
pub use identity::{
    ApiKey, FileId, FolderId, IdSequence, InvalidId, KeyHash, KeyId, KeyOwner, KeyScope, KeySecret,
    Principal, Revision, Role, SpaceId, UploadConfigId, UserId, WebhookMessageId,
};
pub use naming::{
    Description, FolderName, FolderPath, HostName, HostPattern, KeyName, MAX_FOLDER_DEPTH,
    OriginalName, PublicHttpsUrl, Reference, SpaceName, UrlPolicy, is_public_address,
};
pub use requests::{
    Completion, Cursor, Direction, ErrorKind, FieldError, FieldErrors, HourlyQuota, IdempotencyKey,
    IdempotencyReservation, Page, PageBounds, PageRequest, QuotaScope, RateLimit, RateLimitStatus,
    RenditionQuota, ReservationOutcome, ServiceError, UnsignedClient, Window, error_chain,
    parse_integer, parse_variant,
};
pub use resources::{
    ActivationSnapshot, DeleteLock, DeliverySpace, ExifValue, File, FileFilter, FileProperties,
    FileStatus, Folder, FolderChain, FolderMode, FolderRef, Handle, ImageSize, InheritedSettings,
    MAX_EXIF_BYTES, MAX_FILE_BYTES, MediaType, NamePrefix, NewSpace, PendingUpload, ProcessedMedia,
    ProcessingStatus, Resolution, ResourceType, Space, StorageMeta, StoredContent, Thumbnail,
    UploadTarget, proportional,
};
pub use signing::{
    MasterSecret, PreviousSecret, QueryParameter, SIGNATURE_PARAMETER, Secret, SignatureError,
    Signing, SigningSecret, canonical_form, decoded_parameters,
};
pub use uploads::{
    ConfirmToken, ConfirmTokens, EXECUTABLE_FILE, EagerTransformation, Extension,
    MAX_ALLOWED_FORMATS, MAX_ANONYMOUS_FILE_BYTES, MAX_EAGER_TRANSFORMATIONS, MAX_REFERRERS,
    MAX_TAGS, MAX_UPLOADS_PER_HOUR, MetadataRules, NewUploadConfig, NotificationRules,
    ProcessingRules, Quality, ROOT_FOLDER, Referrer, SignedFolder, SignedUpload, SignedUploadUrl,
    SigningKey, StorageRules, Tag, TransformationRules, UnsignedRestrictions, UploadConfig,
    UploadConfigName, UploadConfigReference, UploadFormat, UploadRules, ValidationRules,
    WebhookEvent, is_executable, reject_executable_name,
};
pub use webhooks::{
    AnnouncedWebhook, MAX_RESPONSE_EXCERPT_BYTES, SignedWebhook, WebhookAttempt, WebhookConclusion,
    WebhookEndpoint, WebhookExcerpt, WebhookFailure, WebhookFile, WebhookFilter, WebhookMessage,
    WebhookPayload, WebhookSecret, WebhookSlotWait, WebhookSource, WebhookStatus,
};
