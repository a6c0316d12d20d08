//! Who may upload: the holder of an API key, the holder of a signed URL, or anyone from an origin that an upload config
//! allows. Each of the three proofs gives the same [`UploadGrant`].
//!
//! Invariant: a request is counted, but without a key by a counter that is created only once its URL, config or token has
//! been found.

use std::net::IpAddr;

use axum::extract::{FromRef, FromRequestParts};
use domain::{
    ConfirmTokens, Fault, File, FileId, Handle, HourlyQuota, OriginalName, PresentedUpload, Principal, RateLimit,
    SignedFolder, Timestamp, UploadConfigId, UploadConfigReference,
};
use http::{HeaderMap, header, request::Parts};
use mime::Mime;
use runtime::{LazyMasterSecret, Settings, Viewer};
use serde_json::Value;
use tenant::{RequestOrigin, Space, UploadScope};

use crate::{
    Authenticated, Begun, Edge, Failure, FieldReader, Fields, Upload, exchange::Exchange,
    idempotency::IdempotencyScope, path_parameter,
};

/// The path that every signed URL to upload to is signed for, on whichever of its routes it is used.
pub const SIGNED_UPLOAD_PATH: &str = "/api/v1/upload/signed";
/// The tier of unsigned uploads, in headers and records.
const UNSIGNED: &str = "unsigned";
/// Number of groups of an IPv6 address that identify its holder: a household or a host has all addresses of a /64.
const IPV6_GROUPS: usize = 4;

/// Secrets and limits of uploads without a key.
#[derive(Clone)]
pub struct AnonymousUploads {
    /// The secret that signatures and tokens are derived from.
    pub master: LazyMasterSecret,
    /// Limit of unsigned requests of one client address under one config.
    unsigned: RateLimit,
    /// Maximum number of unsigned uploads in a clock hour under a config that states none.
    unsigned_uploads_per_hour: u64,
}

impl AnonymousUploads {
    /// Reads the limits from a function's variables.
    pub fn read(settings: &mut Settings, master: LazyMasterSecret) -> AnonymousUploads {
        let requests_per_minute = settings.number("UNSIGNED_REQUESTS_PER_MINUTE");
        AnonymousUploads {
            master,
            unsigned: RateLimit { tier: UNSIGNED, requests_per_minute },
            unsigned_uploads_per_hour: settings.number("UNSIGNED_UPLOADS_PER_HOUR"),
        }
    }

    /// Returns the tokens that confirm anonymous files.
    pub async fn tokens(&self) -> Result<ConfirmTokens, Fault> {
        Ok(ConfirmTokens::new(self.master.get().await?))
    }
}

/// Permission to upload, however it was proven.
pub struct UploadGrant {
    /// The uploader.
    pub principal: Principal,
    /// What the proof fixes or limits.
    pub limits: UploadLimits,
    proof: Proof,
    idempotency: IdempotencyScope,
}

/// What a grant fixes or limits, whatever the request specifies.
#[derive(Clone, Debug)]
pub struct UploadLimits {
    /// Which folders the request may select.
    pub folders: AllowedFolders,
    /// The name of the file, if it is fixed.
    pub original_name: Option<OriginalName>,
    /// The only allowed MIME type, if there is one.
    pub content_type: Option<Mime>,
    /// Maximum number of uploads under the config in a clock hour; `None` if uploads are not counted.
    pub max_uploads_per_hour: Option<u64>,
}

/// Which folders an upload may select.
#[derive(Clone, Copy, Debug)]
pub enum AllowedFolders {
    /// Any folder of the space.
    Any,
    /// The one that the URL is signed for, or that of the config if there is none.
    Signed(Option<SignedFolder>),
    /// That of the config.
    Configured,
}

/// What the grant follows from.
enum Proof {
    /// An API key: the request's fields specify one of its spaces, and a config.
    ApiKey(Authenticated<Upload>),
    /// A signed URL: the fields may repeat what it is signed for.
    SignedUrl(UploadScope),
    /// The origin of the request.
    Origin(UploadScope),
}

impl UploadLimits {
    /// Returns the quota that an upload counts against, if any.
    pub fn quota(&self, config: UploadConfigId, now: Timestamp) -> Option<HourlyQuota> {
        self.max_uploads_per_hour.map(|max| HourlyQuota::new(config, max, now))
    }
}

impl UploadGrant {
    /// Reserves the request, whose payload is all that it specifies.
    pub async fn begin(&self, payload: &Value) -> Result<Begun, Fault> {
        self.idempotency.begin(payload).await
    }

    /// Returns the space and the config of the upload; `None` only if a violation was recorded.
    ///
    /// Fails with 403 if the caller may not upload there, or if the fields name another space or config than the URL is
    /// signed for.
    pub async fn scope(&self, fields: &mut Fields) -> Result<Option<UploadScope>, Fault> {
        match &self.proof {
            Proof::ApiKey(auth) => specified_scope(auth, fields).await,
            Proof::SignedUrl(scope) => {
                require_signed_ids(scope, fields)?;
                Ok(Some(scope.clone()))
            }
            Proof::Origin(scope) => Ok(Some(scope.clone())),
        }
    }
}

/// Returns the space and the config that the fields specify, for an API key.
async fn specified_scope(auth: &Authenticated<Upload>, fields: &mut Fields) -> Result<Option<UploadScope>, Fault> {
    let handle = fields.required("space", Handle::parse);
    let config = fields.optional("upload_config", UploadConfigReference::parse);
    let Some(handle) = handle else { return Ok(None) };

    match auth.tenants().upload_scope(&auth.caller, &handle, config.as_ref()).await? {
        Ok(scope) => Ok(Some(scope)),
        Err(violations) => {
            fields.note(violations);
            Ok(None)
        }
    }
}

/// Fails with 403 if the fields name another space or config than the signed ones. A malformed id is another one.
fn require_signed_ids(scope: &UploadScope, fields: &mut Fields) -> Result<(), Fault> {
    let space = fields.optional("space_id", |id| Ok(id.to_owned()));
    let config = fields.optional("upload_config_id", |id| Ok(id.to_owned()));
    let is_signed = space.is_none_or(|id| id.parse() == Ok(scope.space.record().id))
        && config.is_none_or(|id| id.parse() == Ok(scope.config.id));

    if is_signed { Ok(()) } else { Err(Fault::forbidden("The URL is signed for another space or upload config.")) }
}

/// An upload by the holder of an API key.
pub struct ApiKeyUpload(pub UploadGrant);

/// An upload by the holder of a signed URL.
pub struct SignedUrlUpload(pub UploadGrant);

/// An upload without a proof but its origin.
pub struct UnsignedUpload(pub UploadGrant);

impl<S> FromRequestParts<S> for ApiKeyUpload
where
    Edge: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ApiKeyUpload, Failure> {
        let auth = Authenticated::<Upload>::from_request_parts(parts, state).await?;
        Ok(ApiKeyUpload(UploadGrant {
            principal: auth.caller.principal(),
            limits: UploadLimits {
                folders: AllowedFolders::Any,
                original_name: None,
                content_type: None,
                max_uploads_per_hour: None,
            },
            idempotency: auth.idempotency.clone(),
            proof: Proof::ApiKey(auth),
        }))
    }
}

impl<S> FromRequestParts<S> for SignedUrlUpload
where
    Edge: FromRef<S>,
    AnonymousUploads: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<SignedUrlUpload, Failure> {
        let edge = Edge::from_ref(state);
        let anonymous = AnonymousUploads::from_ref(state);
        let presented = PresentedUpload::read(SIGNED_UPLOAD_PATH, parts.uri.query().unwrap_or_default())?;
        let (scope, signed) = edge.tenants.verify_signed_upload(&presented, anonymous.master.get().await?).await?;
        let content_type = signed.content_type.as_deref().map(str::parse).transpose();
        let content_type =
            content_type.map_err(|_| Fault::forbidden("The URL is signed for a content type that is none."))?;

        // A reader of the table must not learn the signature, which opens the space.
        count(&edge, parts, &presented.digest(), edge.limit).await?;
        Ok(SignedUrlUpload(UploadGrant {
            principal: Principal::SignedUrl,
            limits: UploadLimits {
                folders: AllowedFolders::Signed(signed.folder),
                original_name: signed.original_name(),
                content_type,
                max_uploads_per_hour: None,
            },
            proof: Proof::SignedUrl(scope),
            idempotency: IdempotencyScope::of(parts, &edge, |key| key.secret_of(presented.signature())),
        }))
    }
}

impl<S> FromRequestParts<S> for UnsignedUpload
where
    Edge: FromRef<S>,
    AnonymousUploads: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<UnsignedUpload, Failure> {
        let edge = Edge::from_ref(state);
        let anonymous = AnonymousUploads::from_ref(state);
        let viewer = Viewer::of(&parts.extensions)?;
        let handle = path_parameter(parts, "spaceHandle").await?;
        let config = path_parameter(parts, "configName").await?;
        let unverified = edge.tenants.find_unsigned_upload(&handle, &config).await?;

        let who = format!("{}#{}", unverified.config().id, network(viewer.address));
        count(&edge, parts, &who, anonymous.unsigned).await?;
        let origin = RequestOrigin { referrer: referrer(&parts.headers), is_secure: viewer.is_secure };
        let scope = unverified.verify(origin)?;

        let max_uploads_per_hour = scope.config.max_uploads_per_hour().unwrap_or(anonymous.unsigned_uploads_per_hour);
        let idempotency = IdempotencyScope::of(parts, &edge, |key| key.secret_of(&who));
        let now = edge.sources.now();
        // The transaction that writes the file enforces the quota. Uploads above it are refused here as well, before their
        // bytes are read, transformed and stored. A request with an Idempotency-Key may have been counted before.
        if !idempotency.is_named() {
            scope.space.require_quota(HourlyQuota::new(scope.config.id, max_uploads_per_hour, now)).await?;
        }

        Ok(UnsignedUpload(UploadGrant {
            principal: Principal::Unsigned,
            limits: UploadLimits {
                folders: AllowedFolders::Configured,
                original_name: None,
                content_type: None,
                max_uploads_per_hour: Some(max_uploads_per_hour),
            },
            proof: Proof::Origin(scope),
            idempotency,
        }))
    }
}

impl Edge {
    /// Returns an anonymous file and its space for its confirm token. Fails with 404 if the file no longer exists, with 403
    /// if the token is invalid or has expired.
    pub async fn anonymous_file(
        &self,
        parts: &Parts,
        id: FileId,
        token: &str,
        anonymous: &AnonymousUploads,
    ) -> Result<(Space, File), Failure> {
        let found = self.tenants.anonymous_file(id, token, &anonymous.tokens().await?).await?;
        let (space, file) = found.ok_or_else(Fault::not_found)?;
        let limit = if file.uploaded_by == Principal::Unsigned { anonymous.unsigned } else { self.limit };
        count(self, parts, &id.to_string(), limit).await?;
        Ok((space, file))
    }
}

/// Counts a request. Fails with 429 if its limit is used up.
async fn count(edge: &Edge, parts: &Parts, who: &str, limit: RateLimit) -> Result<(), Fault> {
    let (is_admitted, allowance) = edge.tenants.count(who, limit, edge.sources.now()).await?;
    Exchange::of(parts).note_allowance(allowance);
    if is_admitted { Ok(()) } else { Err(Fault::rate_limited(allowance)) }
}

/// Returns the `Referer` of a request, if it has exactly one.
fn referrer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::REFERER).iter();
    let one = given.next().filter(|_| given.next().is_none());
    one.and_then(|value| value.to_str().ok())
}

/// Returns what identifies a client: its IPv4 address, or the /64 of its IPv6 address.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let groups = address.segments();
            groups[..IPV6_GROUPS].iter().map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_are_one_client() {
        let of = |address: &str| network(address.parse().expect("an address"));
        assert_eq!(of("192.0.2.1"), "192.0.2.1");
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(of("2001:db8::1"), of("2001:db8:0:0:ffff::1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    }
}
