//! `DELETE /spaces/:id/api-keys/:keyId`: revoke a key, from the next request on.

use axum::extract::RawPathParams;
use domain::{Fault, KeyId};
use web::{Can, Failure, ManageKeys, NoContent};

pub(crate) async fn revoke_key(can: Can<ManageKeys>, path: RawPathParams) -> Result<NoContent, Failure> {
    let id = path.iter().find(|(name, _)| *name == "keyId").and_then(|(_, value)| value.parse().ok());
    let known = match id {
        Some(id) => can.space.revoke_key(KeyId(id), can.sources.now()).await?,
        None => false,
    };
    if known { Ok(NoContent) } else { Err(Fault::not_found().into()) }
}
