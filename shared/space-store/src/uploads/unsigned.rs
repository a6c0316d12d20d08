//! Unsigned uploads: anonymous uploads from an origin that the upload config allows.
//!
//! Invariant: the space and the config that an unsigned request names are an [`UnverifiedOrigin`],
//! which gives no access to the space. Only a verified origin turns it into an [`UploadScope`].

use domain::{
    errors::ServiceError,
    spaces::Handle,
    uploads::{Referrer, UploadConfig, UploadConfigName, UploadConfigReference},
};
use table::spaces::WithSpace;

use super::{UploadScope, UploadScopes, scopes::UPLOAD_ROLE};

/// The scope of an unsigned upload whose origin is not verified yet.
#[derive(Debug)]
pub struct UnverifiedOrigin(UploadScope);

/// The origin of an unsigned upload.
#[derive(Clone, Copy, Debug)]
pub struct RequestOrigin<'a> {
    pub referrer: Option<&'a str>,
    /// Whether the request was sent over HTTPS.
    pub is_secure: bool,
}

impl UploadScopes<'_> {
    /// Returns the scope of an unsigned upload. Fails with 404 if the space does not exist, and
    /// with 403 if the config does not exist or does not accept unsigned uploads.
    pub async fn find_unsigned(
        self,
        handle: &str,
        config: &str,
    ) -> Result<UnverifiedOrigin, ServiceError> {
        let handle = Handle::parse(handle).map_err(|_| ServiceError::not_found())?;
        let space_id = self.tenants.table.spaces().of_handle(&handle).await?;
        let space_id = space_id.ok_or_else(ServiceError::not_found)?;

        let WithSpace { space, record } = match UploadConfigName::parse(config) {
            Ok(name) => {
                let reference = UploadConfigReference::Name(name);
                self.tenants
                    .table
                    .upload_configs()
                    .with_space(space_id, &reference)
                    .await?
            }
            Err(_) => WithSpace {
                space: self.tenants.table.spaces().get(space_id).await?,
                record: None,
            },
        };
        let space = self
            .tenants
            .scope(space.ok_or_else(ServiceError::not_found)?, UPLOAD_ROLE);

        match record {
            Some(config) if config.allow_unsigned => {
                Ok(UnverifiedOrigin(UploadScope { space, config }))
            }
            _ => Err(ServiceError::forbidden(
                "This upload config does not allow unsigned uploads.",
            )),
        }
    }
}

impl UnverifiedOrigin {
    /// Returns the config, which selects the rate limit.
    pub fn config(&self) -> &UploadConfig {
        &self.0.config
    }

    /// Verifies the origin. Fails with 403 if the config does not allow it.
    pub fn verify(self, origin: RequestOrigin<'_>) -> Result<UploadScope, ServiceError> {
        let restrictions = self.0.config.unsigned_restrictions.as_ref();
        let restrictions = restrictions
            .ok_or_else(|| ServiceError::internal("an unsigned config has no restrictions"))?;

        let referrer = origin
            .referrer
            .and_then(Referrer::parse)
            .filter(|referrer| referrer.is_allowed(&restrictions.allowed_referrers));
        let Some(referrer) = referrer else {
            return Err(ServiceError::forbidden(
                "The Referer header is missing, or its host is not among the allowed referrers of this upload config.",
            ));
        };
        if restrictions.require_https && !(referrer.is_secure() && origin.is_secure) {
            return Err(ServiceError::forbidden(
                "This upload config requires HTTPS for the page and the upload.",
            ));
        }

        self.0.space.require_uploads()?;
        Ok(self.0)
    }
}
