//! The domain model: identifiers, names, stored records, access control and signed URLs.
//!
//! Invariants:
//! - No async code, no AWS types, no HTTP types.
//! - Nothing here reads the system clock or the system's random source: callers pass an [`Env`].

mod access;
mod env;
mod files;
mod folders;
mod id;
mod keys;
mod naming;
mod renditions;
mod requests;
mod signing;
mod spaces;
mod uploads;
mod webhooks;

pub use access::{
    AccessControl, AccessSource, DeliveryType, EffectiveAccess, EffectiveSecurity,
    EffectiveWatermark, Protection, SettingSource, access_revision, renditions_require_auth,
    requires_auth,
};
pub use env::{Clock, Env, Random, Timestamp};
pub use files::{
    ActivatedContent, ActivationSnapshot, CreationRange, CustomMetadata, Decoders, EXECUTABLE_FILE,
    ExifValue, File, FileFilter, FileList, FileProperties, FileStatus, ImageSize, ListOrder,
    MAX_EXIF_BYTES, MAX_FILE_BYTES, MAX_METADATA_VALUES, MediaType, NamePrefix, OriginalName,
    PendingUpload, ProcessedMedia, ProcessingStatus, ResourceType, StorageMeta, StoredContent,
    Trash, TrashDays, UploadTarget, is_executable, proportional, reject_executable_name,
};
pub use folders::{
    Folder, FolderChain, FolderName, FolderPath, FolderRef, MAX_FOLDER_DEPTH, Resolution,
};
pub use id::{
    FileId, FolderId, IdSequence, InvalidId, Revision, SpaceId, UploadConfigId, UserId,
    WebhookMessageId,
};
pub use keys::{ApiKey, KeyHash, KeyId, KeyOwner, KeyScope, KeySecret, Principal, Role};
pub use naming::{
    AltText, Description, HostName, HostPattern, KeyName, MetadataValue, PublicHttpsUrl, Reference,
    SpaceName, Title, UrlPolicy, is_public_address,
};
pub use renditions::{
    AppliedWatermark, Crop, Focus, FolderSecurity, Gravity, ImageFormat, MAX_SIDE_PIXELS, Opacity,
    Rendition, RenditionId, RenditionLocation, RenditionOutput, Resize, Retention, Security, Sides,
    TRANSFORMATION_PARAMETERS, Thumbnail, Transformation, TransformationPolicy, Watermark,
    misnamed_transformation_fields,
};
pub use requests::{
    Completion, Cursor, Direction, ErrorKind, FieldError, FieldErrors, HourlyQuota, IdempotencyKey,
    IdempotencyReservation, Page, PageBounds, PageRequest, QuotaScope, RateLimit, RateLimitStatus,
    RenditionQuota, ReservationOutcome, ServiceError, UnsignedClient, Window, error_chain,
    parse_integer, parse_variant,
};
pub use signing::{
    MasterSecret, PreviousSecret, QueryParameter, SIGNATURE_PARAMETER, Secret, SignatureError,
    SignedDelivery, Signing, SigningSecret, canonical_form, decoded_parameters, signed_query,
};
pub use spaces::{
    DeleteLock, DeliverySpace, FileCount, FolderMode, Handle, InheritedSettings, NewSpace, Space,
    Usage,
};
pub use uploads::{
    ConfirmToken, ConfirmTokens, EagerTransformation, FormatName, MAX_ALLOWED_FORMATS,
    MAX_ANONYMOUS_FILE_BYTES, MAX_EAGER_TRANSFORMATIONS, MAX_REFERRERS, MAX_TAGS,
    MAX_UPLOADS_PER_HOUR, MetadataRules, NewUploadConfig, NotificationRules, ProcessingRules,
    Quality, ROOT_FOLDER, Referrer, SignedFolder, SignedUpload, SignedUploadUrl, SigningKey,
    StorageRules, Tag, TransformationRules, UNKNOWN_FORMAT, UnsignedRestrictions, UploadConfig,
    UploadConfigName, UploadConfigReference, UploadFormat, UploadRules, ValidationRules,
    WebhookEvent,
};
pub use webhooks::{
    AnnouncedWebhook, MAX_RESPONSE_EXCERPT_BYTES, SignedWebhook, WebhookAttempt, WebhookConclusion,
    WebhookEndpoint, WebhookExcerpt, WebhookFailure, WebhookFile, WebhookFilter, WebhookMessage,
    WebhookPayload, WebhookSecret, WebhookSlotWait, WebhookSource, WebhookStatus,
};
