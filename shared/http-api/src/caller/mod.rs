//! Who calls, and whether the request may run: keys, roles, rate limits, and the scope of repeated
//! requests.

mod api_key;
mod api_state;
mod authenticated;
mod can;
mod idempotency;
mod layers;
mod path;
mod request_state;

pub(crate) use api_key::KEY_PARAMETER;
pub use api_key::has_key;
pub use api_state::{ApiState, RateLimitTier};
pub use authenticated::{
    AccountHolder, AnyRole, Authenticated, Listed, SpacePath, SpaceQuery, authenticate_optional,
};

pub(crate) use can::ID_PARAMETER;
pub use can::{
    Action, Can, DeleteSpace, ManageFileAccess, ManageFiles, ManageFolders, ManageKeys,
    ManageSpace, ManageUploadConfigs, ManageWebhooks, ReadFiles, ReadFolders, ReadSpace,
    ReadUploadConfigs, Resource, ResourceId, Upload,
};
pub use idempotency::{IdempotencyOutcome, IdempotencyScope, Reservation};
pub use layers::with_layers;
pub use path::{KeyPath, WebhookMessagePath, path_parameter};
