//! HTTP layer of the API: authentication, authorization, request parsing and responses.
//!
//! The rules that hold for every route are described for API users in `docs/api.md`. Endpoints
//! inherit them from the types of this crate:
//!
//! - A handler takes [`Can`] or [`Authenticated`] first, then [`ValidJson`], [`IdempotentJson`],
//!   [`PageQuery`] or [`ListQuery`]. They authenticate, authorize and validate before it runs.
//! - A handler returns [`Data`], [`Created`], [`CreatedUnwrapped`], [`NoContent`], [`Accepted`] or
//!   [`PageResponse`], or fails with [`ApiError`].
//! - An [`Endpoint`] declares method, path and summary next to its handler. [`RouterBuilder`] mounts
//!   it, and [`openapi`] describes it.
//!
//! Invariants:
//! - A handler accesses a space only through [`Can`], which this crate creates after authentication
//!   and authorization, or, for uploads without a key, through a signed URL, an upload config or
//!   a confirm token.
//! - An API request with a key is authenticated, and counted for its rate limit, once and before its
//!   body is read.
//! - A resource that the caller cannot see is reported like a missing one: 404 if the path, the
//!   query's `id`, or the body of an update or deletion names it; 422 if a field refers to it.
//! - Every error has the standard body `{"message", "errors"}`, which [`ApiError`] creates, or `runtime`
//!   if no handler responds in time.
//! - No key, signature or byte of a file is logged.

mod access_settings;
mod api_key;
mod api_state;
mod authenticated;
mod body;
mod can;
mod cursors;
mod deletion;
mod endpoint;
mod expiration;
mod fallback;
mod field_reader;
mod file_fields;
mod folders;
mod idempotency;
mod input_fields;
mod json;
mod layers;
pub mod openapi;
mod page;
mod path;
mod precondition;
mod query;
mod request_state;
mod responses;
mod rfc3339;
mod selector;
mod url_signer;
mod views;

pub use access_settings::{AccessControlChange, FolderSecurityChange, SecurityChange};
pub use api_key::has_key;
pub use api_state::{ApiState, RateLimitTier};
pub use authenticated::{
    AccountHolder, AnyRole, Authenticated, Listed, SpacePath, SpaceQuery, authenticate_optional,
};
pub use body::{content_length, content_type, drain, require_unencoded};
pub use can::{
    Action, Can, DeleteSpace, ManageFileAccess, ManageFiles, ManageFolders, ManageKeys,
    ManageSpace, ManageUploadConfigs, ManageWebhooks, ReadFiles, ReadFolders, ReadSpace,
    ReadUploadConfigs, Resource, ResourceId, Upload,
};
pub use cursors::CursorSecret;
pub use deletion::{Deletion, Force, query_boolean};
pub use endpoint::{API_PREFIX, Endpoint, Register, RouterBuilder};
pub use expiration::{read_expires_seconds, read_optional_expires_seconds};
pub use fallback::not_found_router;
pub use field_reader::{FieldReader, FromFields, Patch};
pub use file_fields::FileFields;
pub use folders::{FOLDER_ID, FOLDER_PATH, FolderReference, read_folder};
pub use idempotency::{IdempotencyOutcome, IdempotencyScope, IdempotentJson, Replay, Reservation};
pub use input_fields::InputFields;
pub use json::{JsonObject, UnreadJson, ValidJson};
pub use layers::with_layers;
pub use page::{ListQuery, PageQuery, PageResponse};
pub use path::{KeyPath, WebhookMessagePath, path_parameter};
pub use precondition::{Precondition, Validators};
pub use query::ValidQuery;
pub use responses::{Accepted, ApiError, Created, CreatedUnwrapped, Data, NoContent, PartError};
pub use rfc3339::Rfc3339;
pub use selector::{ID, ResourceSelector};
pub use url_signer::UrlSigner;
pub use views::{AnonymousFileView, FileView, SelectedFileView, ThumbnailView, file_url};
