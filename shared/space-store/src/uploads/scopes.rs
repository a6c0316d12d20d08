//! Scopes of uploads: a space and one of its upload configs, for a caller with a key or a signed
//! URL.

use domain::{
    env::Timestamp,
    errors::{FieldError, FieldErrors, ServiceError},
    keys::Role,
    signing::{MasterSecret, SignatureError},
    spaces::Handle,
    uploads::{SignedUploadUrl, UploadConfig, UploadConfigReference, UploadPermit},
};
use table::{keys::KeyInSpace, spaces::WithSpace};
use tracing::instrument;

use crate::spaces::{Caller, SpaceScope, Tenants};

/// Minimum role for uploads, and the role of anonymous uploads.
pub const UPLOAD_ROLE: Role = Role::User;

/// The scopes of uploads in all spaces.
#[derive(Clone, Copy, Debug)]
pub struct UploadScopes<'a> {
    pub(super) tenants: &'a Tenants,
}

/// A space that accepts uploads, and the upload config that applies to them.
#[derive(Clone, Debug)]
pub struct UploadScope {
    /// The scope of the space.
    pub space: SpaceScope,
    pub config: UploadConfig,
}

/// An upload that a verified signed URL permits.
#[derive(Clone, Debug)]
pub struct PermittedUpload {
    pub scope: UploadScope,
    /// The parameters that the signature covers.
    pub permit: UploadPermit,
}

/// A space by handle, with the upload config that was read along with it.
struct SpaceWithLikelyConfig {
    space: Option<SpaceScope>,
    likely: Option<LikelyConfig>,
}

/// An upload config that was read because the request probably needs it.
struct LikelyConfig {
    reference: UploadConfigReference,
    config: Option<UploadConfig>,
}

impl Tenants {
    pub fn upload_scopes(&self) -> UploadScopes<'_> {
        UploadScopes { tenants: self }
    }
}

impl UploadScopes<'_> {
    /// Returns the space with a handle and the referenced config, or the active config if there is
    /// no reference. Field errors are those of `space` and `upload_config`.
    ///
    /// Fails with 403 if the caller's role is too low or the space is disabled.
    #[instrument(name = "upload_scope", skip_all)]
    pub async fn find(
        self,
        caller: &Caller,
        handle: &Handle,
        reference: Option<&UploadConfigReference>,
    ) -> Result<Result<UploadScope, FieldErrors>, ServiceError> {
        let found = self
            .space_with_likely_config(caller, handle, reference)
            .await?;
        let Some(space) = found.space else {
            let errors = FieldErrors::from(("space", FieldError::InvalidSelection));
            return Ok(Err(errors));
        };
        space.role().require(UPLOAD_ROLE)?;
        space.require_uploads()?;

        let active_id = space.record.active_upload_config_id;
        let active = UploadConfigReference::Id(active_id);
        let reference = reference.unwrap_or(&active);
        let config = match found.likely {
            Some(likely) if likely.reference == *reference => likely.config,
            _ => space.upload_configs().get(Some(reference)).await?,
        };
        self.tenants
            .active_configs
            .insert(space.record.id, active_id);

        Ok(match config {
            Some(config) => Ok(UploadScope { space, config }),
            None => Err(("upload_config", FieldError::InvalidSelection).into()),
        })
    }

    /// Returns the space with a handle. For a space key, reads the space together with the config
    /// that the request probably needs: the referenced one, or the last known active one.
    async fn space_with_likely_config(
        self,
        caller: &Caller,
        handle: &Handle,
        reference: Option<&UploadConfigReference>,
    ) -> Result<SpaceWithLikelyConfig, ServiceError> {
        let Some(own) = caller.space_role() else {
            return Ok(SpaceWithLikelyConfig {
                space: self.tenants.spaces().by_handle(caller, handle).await?,
                likely: None,
            });
        };
        let cached = || {
            let active = self.tenants.active_configs.get(&own.space_id)?;
            Some(UploadConfigReference::Id(active))
        };
        let Some(reference) = reference.cloned().or_else(cached) else {
            return Ok(SpaceWithLikelyConfig {
                space: self.tenants.spaces().by_handle(caller, handle).await?,
                likely: None,
            });
        };

        let WithSpace { space, record } = self
            .tenants
            .table
            .upload_configs()
            .with_space(own.space_id, &reference)
            .await?;
        let space = space.filter(|space| space.handle == *handle);
        Ok(SpaceWithLikelyConfig {
            space: space.map(|space| self.tenants.scope(space, own.role)),
            likely: Some(LikelyConfig {
                reference,
                config: record,
            }),
        })
    }

    /// Verifies a signed upload URL. Fails with 403 if the signature is wrong, and in the same way
    /// if the space or the config does not exist. Fails with 403 if the key that signed the URL is
    /// no longer valid. All are read together, so a revocation ends the URLs of the key at once.
    pub async fn verify_signed(
        self,
        presented: &SignedUploadUrl,
        master: &MasterSecret,
    ) -> Result<PermittedUpload, ServiceError> {
        let claimed = &presented.claims;
        let found = self
            .tenants
            .table
            .keys()
            .signed_scope(claimed.space_id, claimed.config_id, claimed.key)
            .await?;

        // The signature is verified even if the space does not exist, so that the response time
        // does not reveal it.
        let signing = found.space.as_ref().map(|space| space.signing);
        let now = self.tenants.table.env().now();
        let permit = presented.verify(signing.unwrap_or_default(), master, now)?;
        let (Some(space), Some(config)) = (found.space, found.config) else {
            return Err(SignatureError::Invalid.into());
        };
        if !may_upload(found.key.as_ref(), now) {
            return Err(invalid_key());
        }

        let space = self.tenants.scope(space, UPLOAD_ROLE);
        space.require_uploads()?;
        Ok(PermittedUpload {
            scope: UploadScope { space, config },
            permit: permit.clone(),
        })
    }
}

/// Whether uploads with URLs that a key signed are permitted.
pub(super) fn may_upload(found: Option<&KeyInSpace>, now: Timestamp) -> bool {
    found.is_some_and(|found| found.key.is_active_at(now) && found.role >= Some(UPLOAD_ROLE))
}

pub(super) fn invalid_key() -> ServiceError {
    ServiceError::forbidden(
        "The API key that signed this URL is revoked or expired, or may no longer upload. Request a new signed URL.",
    )
}
