//! Path parameters, and the canonical form of paths.

use axum::extract::{FromRequestParts, RawPathParams};
use domain::{
    errors::ServiceError,
    id::{SpaceId, WebhookMessageId},
    keys::KeyId,
};
use http::request::Parts;

use crate::response::ApiError;

/// Returns a path parameter. Fails with 404 if it is missing or not UTF-8.
pub async fn path_parameter(parts: &mut Parts, name: &str) -> Result<String, ServiceError> {
    let parameters = RawPathParams::from_request_parts(parts, &())
        .await
        .map_err(|_| ServiceError::not_found())?;
    let found = parameters.iter().find(|(key, _)| *key == name);
    found
        .map(|(_, value)| value.to_owned())
        .ok_or_else(ServiceError::not_found)
}

/// The API key that the path names.
pub struct KeyPath(pub KeyId);

impl KeyPath {
    /// Name of the path parameter.
    pub(crate) const PARAMETER: &str = "keyId";
}

impl<S: Send + Sync> FromRequestParts<S> for KeyPath {
    type Rejection = ApiError;

    /// Fails with 404 if the parameter is not an integer.
    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<KeyPath, ApiError> {
        let id = path_parameter(parts, KeyPath::PARAMETER).await?;
        Ok(KeyPath(id.parse().map_err(|_| ServiceError::not_found())?))
    }
}

/// The webhook message that the path names.
pub struct WebhookMessagePath(pub WebhookMessageId);

impl WebhookMessagePath {
    /// Name of the path parameter.
    pub(crate) const PARAMETER: &str = "deliveryId";
}

impl<S: Send + Sync> FromRequestParts<S> for WebhookMessagePath {
    type Rejection = ApiError;

    /// Fails with 404 if the parameter is not an id.
    async fn from_request_parts(
        parts: &mut Parts,
        _state: &S,
    ) -> Result<WebhookMessagePath, ApiError> {
        let id = path_parameter(parts, WebhookMessagePath::PARAMETER).await?;
        let id = id.parse().map_err(|_| ServiceError::not_found())?;
        Ok(WebhookMessagePath(id))
    }
}

/// Returns the path with its ids in upper case, so that requests for the same resource have the
/// same path.
pub(crate) fn canonical_path(path: &str) -> String {
    let canonical = |segment: &str| {
        segment
            .parse()
            .map_or_else(|_| segment.to_owned(), |id: SpaceId| id.to_string())
    };
    path.split('/').map(canonical).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_path_ignores_case_of_ids_only() {
        let path = |id: &str| canonical_path(&format!("/api/v1/spaces/{id}/api-keys"));
        assert_eq!(
            path("01jcqz4xk8v9w7y6t5s4r3q2p1"),
            "/api/v1/spaces/01JCQZ4XK8V9W7Y6T5S4R3Q2P1/api-keys"
        );
        assert_ne!(path("acme"), path("ACME"));
    }
}
