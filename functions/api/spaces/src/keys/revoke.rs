//! `DELETE /spaces/:id/api-keys/:keyId`: revoke a key, from the next request on.

use domain::Fault;
use web::{Can, Endpoint, Failure, KeyPath, ManageKeys, NoContent};

pub(crate) const REVOKE: Endpoint = Endpoint::delete(
    "revokeSpaceKey",
    "/spaces/{id}/api-keys/{keyId}",
    "Revoke an API key of a space",
);

pub(crate) async fn revoke(
    can: Can<ManageKeys>,
    KeyPath(id): KeyPath,
) -> Result<NoContent, Failure> {
    let exists = can.space.keys().revoke(id).await?;
    if exists {
        Ok(NoContent)
    } else {
        Err(Fault::not_found().into())
    }
}
