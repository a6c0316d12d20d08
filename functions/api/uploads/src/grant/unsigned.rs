//! Uploads without a key or a signature.

use axum::extract::MatchedPath;
use domain::{
    errors::{FieldError, ServiceError},
    keys::Principal,
    requests::{QuotaScope, UnsignedClient},
    spaces::Handle,
    uploads::{UploadConfig, UploadConfigName},
};
use http::request::Parts;
use http_api::{
    caller::{IdempotencyScope, path_parameter},
    describe::OperationBuilder,
    fields::{FOLDER_ID, FOLDER_PATH, FieldReader, FromFields, InputFields},
    response::{AnonymousFileView, ApiError},
};
use runtime::http::Viewer;
use space_store::uploads::{RequestOrigin, UploadScope};

use super::anonymous::{UNSIGNED_TIER, network, referrer};
use super::{ResolvedTarget, UploadAuthorization, UploadGrant, UploadLimits};
use crate::{UploadsState, presigned::presign::PRESIGN_UNSIGNED};

const SPACE_HANDLE: &str = "spaceHandle";
const CONFIG_NAME: &str = "configName";
/// The field error of a folder.
const FOLDER_NOT_ALLOWED: FieldError =
    FieldError::Custom("must not be present: the upload config sets the folder");

/// An upload without a key from a referrer that the upload config allows. The path names the space
/// and the config, and the config sets the folder.
pub(crate) struct Unsigned(UploadScope);

/// The target fields of an unsigned upload. There are none, and a folder is rejected.
pub(crate) struct UnsignedTarget;

impl FromFields for UnsignedTarget {
    fn read(fields: &mut impl FieldReader) -> Option<UnsignedTarget> {
        for name in [FOLDER_ID, FOLDER_PATH] {
            if fields.has_value(name) {
                fields.reject(name, &FOLDER_NOT_ALLOWED);
            }
        }
        Some(UnsignedTarget)
    }
}

impl UploadAuthorization for Unsigned {
    const TEXT_FIELDS: &'static [&'static str] = &["ref", FOLDER_ID, FOLDER_PATH];

    type TargetFields = UnsignedTarget;
    type View = AnonymousFileView;

    async fn authorize(
        parts: &mut Parts,
        uploads: &UploadsState,
    ) -> Result<UploadGrant<Unsigned>, ApiError> {
        let api = &uploads.api;
        let viewer = Viewer::of(&parts.extensions)?;
        let handle = path_parameter(parts, SPACE_HANDLE).await?;
        let config_name = path_parameter(parts, CONFIG_NAME).await?;
        let unverified = api
            .tenants
            .upload_scopes()
            .find_unsigned(&handle, &config_name)
            .await?;

        let client = client_id(unverified.config(), viewer);
        api.count(parts, &client, uploads.anonymous.limit).await?;

        let origin = RequestOrigin {
            referrer: referrer(&parts.headers),
            is_secure: viewer.is_secure,
        };
        let scope = unverified.verify(origin)?;
        let max_uploads_per_hour = uploads.anonymous.max_uploads_per_hour(&scope.config);
        let limits = UploadLimits {
            client: Some(UnsignedClient::new(&client, max_uploads_per_hour)),
            ..UploadLimits::default()
        };

        let idempotency = IdempotencyScope::of(parts, api, |key| key.anonymous_secret(&client));
        // The transaction that writes an active file enforces the quota. Checking it here as well
        // rejects uploads above it before their bytes are read, transformed and stored. A request
        // with an Idempotency-Key may be a repeated one that was already counted.
        if !idempotency.has_key()
            && let Some(quota) = limits.quota(scope.config.id, api.env.now())
        {
            scope.require_quota(quota, scopes(parts)).await?;
        }

        Ok(UploadGrant {
            principal: Principal::Unsigned,
            limits,
            idempotency,
            authorization: Unsigned(scope),
        })
    }

    async fn resolve_target(
        self,
        _: UnsignedTarget,
        _: &mut InputFields,
    ) -> Result<ResolvedTarget, ServiceError> {
        Ok(ResolvedTarget {
            scope: Some(self.0),
            folder: None,
        })
    }

    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.rate_limit_tier(UNSIGNED_TIER);
        operation.path_parameter::<Handle>(SPACE_HANDLE);
        operation.path_parameter::<UploadConfigName>(CONFIG_NAME);
    }
}

/// Returns the scopes of the quota that limit a request.
fn scopes(parts: &Parts) -> &'static [QuotaScope] {
    let route = parts.extensions.get::<MatchedPath>();
    if route.is_some_and(|route| route.as_str() == PRESIGN_UNSIGNED.full_path()) {
        QuotaScope::PRESIGNED
    } else {
        QuotaScope::ACCEPTED
    }
}

/// Returns the key that requests of a client under a config are counted by.
fn client_id(config: &UploadConfig, viewer: Viewer) -> String {
    format!("{}#{}", config.id, network(viewer.address))
}
