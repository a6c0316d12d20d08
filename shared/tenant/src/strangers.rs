//! Strangers: callers without a key, who may upload into one space by one of its configs.
//!
//! Invariant: what a stranger names leads to a [`Gate`], which tells nothing; only proof makes it an [`Entry`]: a signature of
//! the space, or coming from where the config lets strangers come from.

use domain::{
    Allowance, ConfirmTokens, Fault, File, FileId, Handle, MasterSecret, NotSigned, PresentedUpload, RateLimit,
    Referrer, Role, SignedUpload, Timestamp, UploadConfig, UploadConfigName, UploadConfigReference,
};

use crate::{PRESIGNED_MS, Space, Tenants};

/// What a stranger may do in the space that they are let into.
const ROLE: Role = Role::User;

/// How long after the announcement of its file a confirm token is valid, in milliseconds: an hour longer than the
/// presigned URL.
const CONFIRM_TOKEN_MS: i64 = PRESIGNED_MS + 60 * 60 * 1_000;

/// A space and a config that a stranger names; nobody has been let in yet.
#[derive(Debug)]
pub struct Gate {
    space: Space,
    config: UploadConfig,
}

/// A space that takes uploads by a config.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The space.
    pub space: Space,
    /// The config.
    pub config: UploadConfig,
}

/// From where a stranger comes.
#[derive(Clone, Copy, Debug)]
pub struct Knock<'a> {
    /// The `Referer` header.
    pub referrer: Option<&'a str>,
    /// Whether nobody on the way could have changed the request.
    pub is_secure: bool,
}

impl Tenants {
    /// Lets in whoever holds a signed address; gives what it allows. What names nothing is refused as a wrong signature is.
    pub async fn enter_by_signature(
        &self,
        presented: &PresentedUpload,
        master: &MasterSecret,
    ) -> Result<(Entry, SignedUpload), Fault> {
        let (space, config) = (presented.claimed.space_id, presented.claimed.config_id);
        let (space, config) = self.table.space_and_upload_config(space, config).await?;
        let signing = space.as_ref().map(|space| space.signing).unwrap_or_default();
        // Whatever is missing, the signature is judged, so that time tells nothing either.
        let proven = presented.proven(signing, master, self.table.sources().now());
        let found = space.zip(config).ok_or(NotSigned::Invalid);
        let (signed, (space, config)) = proven.and_then(|signed| Ok((signed, found?)))?;
        let space = self.scoped(space, ROLE);
        space.demand_uploads()?;
        Ok((Entry { space, config }, signed.clone()))
    }

    /// The gate that a stranger without proof stands before: not found, where there is no such space; refused, where the
    /// config takes no strangers.
    pub async fn gate(&self, handle: &str, config: &str) -> Result<Gate, Fault> {
        let handle = Handle::parse(handle).map_err(|_| Fault::not_found())?;
        let space = self.table.space_by_handle(&handle).await?.ok_or_else(Fault::not_found)?;
        let space = self.scoped(space, ROLE);
        let config = match UploadConfigName::parse(config) {
            Ok(name) => space.upload_config(Some(&UploadConfigReference::Name(name))).await?,
            Err(_) => None,
        };
        let config = config.filter(|config| config.allow_unsigned);
        let config = config.ok_or_else(|| Fault::forbidden("This upload config takes no unsigned uploads."))?;
        Ok(Gate { space, config })
    }

    /// Counts a request of a stranger; `false` where they had used up their requests of this minute.
    pub async fn count(&self, who: &str, limit: RateLimit, now: Timestamp) -> Result<(bool, Allowance), Fault> {
        Ok(self.table.count(who, limit, now).await?)
    }

    /// Returns an anonymous file and its space for its confirm token; `None` if the file no longer exists. Fails with 403 if
    /// the token is invalid or has expired.
    pub async fn strangers_file(
        &self,
        id: FileId,
        token: &str,
        tokens: &ConfirmTokens,
        now: Timestamp,
    ) -> Result<Option<(Space, File)>, Fault> {
        if !tokens.proves(token, id) {
            return Err(Fault::forbidden("The confirm token is invalid."));
        }
        let Some(space) = self.table.space_of_file(id).await? else { return Ok(None) };
        let (space, file) = self.table.space_and_file(space, id).await?;
        let found = space.zip(file).filter(|(_, file)| file.uploaded_by.is_stranger());

        if found.as_ref().is_some_and(|(_, file)| now >= file.created_at.plus_ms(CONFIRM_TOKEN_MS)) {
            return Err(Fault::forbidden("The confirm token has expired."));
        }
        Ok(found.map(|(space, file)| (self.scoped(space, ROLE), file)))
    }
}

impl Gate {
    /// The config, by which strangers are counted.
    pub fn config(&self) -> &UploadConfig {
        &self.config
    }

    /// Lets in whoever comes from where the config lets strangers come from.
    pub fn enter(self, knock: Knock<'_>) -> Result<Entry, Fault> {
        let restrictions = self.config.unsigned_restrictions.as_ref();
        let restrictions = restrictions.ok_or_else(|| Fault::internal("a config lets strangers come from nowhere"))?;
        let referrer = knock.referrer.and_then(Referrer::parse);
        let referrer = referrer.filter(|referrer| referrer.is_allowed(&restrictions.allowed_referrers));
        let referrer = referrer.ok_or_else(|| Fault::forbidden("Uploads are not taken from this referrer."))?;
        if restrictions.require_https && !(referrer.is_secure() && knock.is_secure) {
            return Err(Fault::forbidden("Uploads are taken over HTTPS alone."));
        }
        self.space.demand_uploads()?;
        Ok(Entry { space: self.space, config: self.config })
    }
}
