//! API keys and roles.

mod api_key;
mod role;

pub use api_key::{ApiKey, KeyHash, KeyId, KeyOwner, KeyScope, KeySecret, Principal};
pub use role::Role;
