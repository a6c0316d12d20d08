//! `DELETE /spaces/:id/api-keys/:keyId`: revoke a key, from the next request on.

use axum::extract::RawPathParams;
use domain::{Fault, KeyId};
use web::{Can, Failure, ManageKeys, NoContent};

pub(crate) async fn revoke(can: Can<ManageKeys>, path: RawPathParams) -> Result<NoContent, Failure> {
    let is_known = can.space.keys().revoke(key_id(&path)?, can.sources.now()).await?;
    if is_known { Ok(NoContent) } else { Err(Fault::not_found().into()) }
}

/// The key that a path names. What is no number names none.
pub(crate) fn key_id(path: &RawPathParams) -> Result<KeyId, Fault> {
    let id = path.iter().find(|(name, _)| *name == "keyId").and_then(|(_, value)| value.parse().ok());
    id.ok_or_else(Fault::not_found)
}
