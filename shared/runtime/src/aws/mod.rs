//! Clients of AWS services, their credentials, and secrets.

mod assumed_role;
mod calls;
mod clients;
mod container_credentials;
mod credentials;
mod credentials_cache;
mod lazy_secret;

pub(crate) use clients::MAX_DYNAMODB_CALL;
pub(crate) use container_credentials::container_credentials;
pub use lazy_secret::{LazyMasterSecret, LazySecret, ParseSecret};
