//! Identity: ids, API keys, roles and principals.

mod api_key;
mod id;
mod role;

pub use api_key::{ApiKey, KeyHash, KeyId, KeyOwner, KeyScope, KeySecret, Principal};
pub use id::{
    FileId, FolderId, IdSequence, InvalidId, Revision, SpaceId, UploadConfigId, UserId,
    WebhookMessageId,
};
pub use role::Role;
