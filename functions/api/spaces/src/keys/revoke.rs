//! `DELETE /spaces/:id/api-keys/:keyId`: revoke an API key, effective from the next request.

use domain::errors::ServiceError;
use http_api::{
    caller::{Can, KeyPath, ManageKeys},
    describe::Endpoint,
    response::{ApiError, NoContent},
};

pub(crate) const REVOKE: Endpoint = Endpoint::delete(
    "revokeSpaceKey",
    "/spaces/{id}/api-keys/{keyId}",
    "Revoke an API key of a space",
)
.description(
    "The key is rejected with 401 from the next request on, and stays in `listSpaceKeys` with \
     `is_active: false`. Upload URLs that it signed end with it; delivery URLs end only when they \
     expire or with `rotateSigningSecret`. A retry is safe, and returns 204 again.",
);

pub(crate) async fn revoke(
    can: Can<ManageKeys>,
    KeyPath(id): KeyPath,
) -> Result<NoContent, ApiError> {
    let exists = can.space.keys().revoke(id).await?;
    if exists {
        Ok(NoContent)
    } else {
        Err(ServiceError::not_found().into())
    }
}
