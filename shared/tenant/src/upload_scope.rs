//! Where uploads go: into one space by one of its configs, for a caller with a key or for an
//! anonymous one.
//!
//! Invariant: what a request without a key names gives an [`UnverifiedUpload`], which shows nothing
//! of the space; only proof makes it an [`UploadScope`]: a signature of the space, or an origin
//! that the config allows.

use domain::{
    ConfirmTokens, FieldError, FieldErrors, File, FileId, Handle, MasterSecret, RateLimit,
    RateLimitStatus, Referrer, Role, ServiceError, SignatureError, SignedUpload, SignedUploadUrl,
    UploadConfig, UploadConfigName, UploadConfigReference,
};
use tracing::instrument;

use crate::{Caller, PRESIGNED_URL_LIFETIME_MS, SpaceScope, Tenants};

/// The least role that uploads, which is that of an anonymous uploader.
const ROLE: Role = Role::User;

/// How long after the creation of its file a confirm token is valid, in milliseconds: an hour
/// longer than the presigned URL.
const CONFIRM_TOKEN_MS: i64 = PRESIGNED_URL_LIFETIME_MS + 60 * 60 * 1_000;

/// A space that takes uploads, and the config that they come under.
#[derive(Clone, Debug)]
pub struct UploadScope {
    /// The space.
    pub space: SpaceScope,
    /// The config.
    pub config: UploadConfig,
}

/// A space and a config that a request without a key names, before its origin is verified.
#[derive(Debug)]
pub struct UnverifiedUpload(UploadScope);

/// Where a request without a key comes from.
#[derive(Clone, Copy, Debug)]
pub struct RequestOrigin<'a> {
    /// The `Referer` header.
    pub referrer: Option<&'a str>,
    /// Whether the request came over HTTPS.
    pub is_secure: bool,
}

impl Tenants {
    /// Returns the space of a handle and the referenced config, or else the active one, for a
    /// caller with a key. Returns field errors of `space` or `upload_config` if the caller may not
    /// know of such a space or config.
    ///
    /// Fails with 403 if the caller's role is too low or the space is disabled.
    #[instrument(skip_all)]
    pub async fn upload_scope(
        &self,
        caller: &Caller,
        handle: &Handle,
        reference: Option<&UploadConfigReference>,
    ) -> Result<Result<UploadScope, FieldErrors>, ServiceError> {
        let (space, read) = self
            .space_and_likely_config(caller, handle, reference)
            .await?;
        let Some(space) = space else {
            return Ok(Err(("space", FieldError::InvalidSelection).into()));
        };
        space.require_role(ROLE)?;
        space.require_uploads()?;

        let active = UploadConfigReference::Id(space.record.active_upload_config_id);
        let reference = reference.unwrap_or(&active);
        let config = match read {
            Some((likely, config)) if likely == *reference => config,
            _ => space.upload_config(Some(reference)).await?,
        };
        self.active_configs
            .note(space.record.id, space.record.active_upload_config_id);
        Ok(config
            .map(|config| UploadScope { space, config })
            .ok_or_else(|| ("upload_config", FieldError::InvalidSelection).into()))
    }

    /// Returns the space of a handle. A space key's space is read together with the config that the
    /// request is likely to need: the referenced one, or the one that was active the last time.
    async fn space_and_likely_config(
        &self,
        caller: &Caller,
        handle: &Handle,
        reference: Option<&UploadConfigReference>,
    ) -> Result<
        (
            Option<SpaceScope>,
            Option<(UploadConfigReference, Option<UploadConfig>)>,
        ),
        ServiceError,
    > {
        let own = caller.own_space();
        let hint = || {
            own.and_then(|(own, _)| self.active_configs.get(&own))
                .map(UploadConfigReference::Id)
        };
        let (Some((own, role)), Some(likely)) = (own, reference.cloned().or_else(hint)) else {
            return Ok((self.space_by_handle(caller, handle).await?, None));
        };

        let (record, config) = self.table.space_and_upload_config(own, &likely).await?;
        let record = record.filter(|record| record.handle == *handle);
        Ok((
            record.map(|record| self.scoped(record, role)),
            Some((likely, config)),
        ))
    }

    /// Verifies a signed URL. Returns where it allows uploads, and what it fixes. Fails with 403 if
    /// the space or the config does not exist, as for a wrong signature.
    pub async fn verify_signed_upload(
        &self,
        presented: &SignedUploadUrl,
        master: &MasterSecret,
    ) -> Result<(UploadScope, SignedUpload), ServiceError> {
        let claimed = &presented.claims;
        let config = UploadConfigReference::Id(claimed.config_id);
        let (space, config) = self
            .table
            .space_and_upload_config(claimed.space_id, &config)
            .await?;
        let signing = space
            .as_ref()
            .map(|space| space.signing)
            .unwrap_or_default();

        // The signature is verified also for a space that does not exist, so that the time tells
        // nothing either.
        let proven = presented.verify(signing, master, self.table.env().now());
        let found = space.zip(config).ok_or(SignatureError::Invalid);
        let (signed, (space, config)) = proven.and_then(|signed| Ok((signed, found?)))?;

        let space = self.scoped(space, ROLE);
        space.require_uploads()?;
        Ok((UploadScope { space, config }, signed.clone()))
    }

    /// Finds the space and the config of an unsigned upload. Fails with 404 if there is no such
    /// space, with 403 if the config takes no unsigned uploads.
    pub async fn find_unsigned_upload(
        &self,
        handle: &str,
        config: &str,
    ) -> Result<UnverifiedUpload, ServiceError> {
        let handle = Handle::parse(handle).map_err(|_| ServiceError::not_found())?;
        let space = self
            .table
            .space_by_handle(&handle)
            .await?
            .ok_or_else(ServiceError::not_found)?;
        let space = self.scoped(space, ROLE);

        let config = match UploadConfigName::parse(config) {
            Ok(name) => {
                space
                    .upload_config(Some(&UploadConfigReference::Name(name)))
                    .await?
            }
            Err(_) => None,
        };
        let config = config.filter(|config| config.allow_unsigned);
        let config = config.ok_or_else(|| {
            ServiceError::forbidden("This upload config does not allow unsigned uploads.")
        })?;
        Ok(UnverifiedUpload(UploadScope { space, config }))
    }

    /// Counts a request without a key; `false` if its limit for this minute is used up.
    pub async fn count(
        &self,
        who: &str,
        limit: RateLimit,
    ) -> Result<(bool, RateLimitStatus), ServiceError> {
        Ok(self.table.count(who, limit).await?)
    }

    /// Returns an anonymous file and its space for its confirm token; `None` if the file no longer
    /// exists. Fails with 403 if the token is invalid or has expired.
    pub async fn anonymous_file(
        &self,
        id: FileId,
        token: &str,
        tokens: &ConfirmTokens,
    ) -> Result<Option<(SpaceScope, File)>, ServiceError> {
        if !tokens.verify(token, id) {
            return Err(ServiceError::forbidden("The confirm token is invalid."));
        }
        let Some(space) = self.table.space_of_file(id).await? else {
            return Ok(None);
        };
        let (space, file) = self.table.space_and_file(space, id).await?;
        let found = space
            .zip(file)
            .filter(|(_, file)| file.uploaded_by.is_anonymous());

        let now = self.table.env().now();
        if found
            .as_ref()
            .is_some_and(|(_, file)| now >= file.created_at.plus_ms(CONFIRM_TOKEN_MS))
        {
            return Err(ServiceError::forbidden("The confirm token has expired."));
        }
        Ok(found.map(|(space, file)| (self.scoped(space, ROLE), file)))
    }
}

impl UnverifiedUpload {
    /// Returns the config, by which requests are counted.
    pub fn config(&self) -> &UploadConfig {
        &self.0.config
    }

    /// Fails with 403 if the config does not allow uploads from this origin.
    pub fn verify(self, origin: RequestOrigin<'_>) -> Result<UploadScope, ServiceError> {
        let restrictions = self.0.config.unsigned_restrictions.as_ref();
        let restrictions = restrictions
            .ok_or_else(|| ServiceError::internal("an unsigned config has no restrictions"))?;

        let referrer = origin.referrer.and_then(Referrer::parse);
        let referrer =
            referrer.filter(|referrer| referrer.is_allowed(&restrictions.allowed_referrers));
        let referrer = referrer.ok_or_else(|| {
            ServiceError::forbidden("Uploads from this referrer are not allowed.")
        })?;
        if restrictions.require_https && !(referrer.is_secure() && origin.is_secure) {
            return Err(ServiceError::forbidden("Uploads require HTTPS."));
        }

        self.0.space.require_uploads()?;
        Ok(self.0)
    }
}
