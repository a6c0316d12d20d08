//! Who may upload: the holder of an API key, the holder of a signed URL, or anyone from an origin
//! that an upload config allows. Each of the three proofs gives an [`UploadGrant`].
//!
//! Invariant: a request is counted, but without a key by a counter that is created only once its
//! URL or config has been found.

use std::future::Future;

use axum::extract::FromRequestParts;
use domain::{
    FieldError, Handle, HourlyQuota, OriginalName, PresentedUpload, Principal, Reference,
    ServiceError, SignedFolder, Timestamp, UploadConfigId, UploadConfigName, UploadConfigReference,
};
use http::request::Parts;
use ingest::FILES;
use mime::Mime;
use runtime::Viewer;
use tenant::{FolderSelector, RequestOrigin, UploadScope};
use web::{
    ApiError, Authenticated, FOLDER_ID, FOLDER_PATH, FieldReader, FromFields, IdempotencyScope,
    InputFields, Patch, Upload,
    openapi::{DescribeInput, Operation},
    path_parameter, read_folder,
};

use crate::{
    Uploads,
    anonymous::{UNSIGNED, network, referrer},
    upload::UPLOAD_SIGNED,
};

/// Parameters of the path of an unsigned upload.
const SPACE_HANDLE: &str = "spaceHandle";
const CONFIG_NAME: &str = "configName";
/// Fields that repeat what a URL is signed for.
const SPACE_ID: &str = "space_id";
const UPLOAD_CONFIG_ID: &str = "upload_config_id";

/// The field error of a folder on an upload whose config decides where its files go.
const NOT_SELECTABLE: FieldError =
    FieldError::Must("must not be given: the upload config says where its files go");
/// The field error of a path on a signed upload.
const NOT_SIGNED: FieldError =
    FieldError::Must("must not be given: the URL or its upload config says where its files go");

/// What proves the right to upload.
pub(crate) trait Proof: Sized + Send + Sync + 'static {
    /// Names of the texts that a form may have. Others are skipped.
    const TEXTS: &'static [&'static str];
    /// Names of the texts that a form must have.
    const REQUIRED_TEXTS: &'static [&'static str] = &[];
    /// Maximum number of files of a form; if it is 1, `files` is not a field.
    const MAX_FILES: usize = 1;

    /// The fields that select where files are stored.
    type Selection: FromFields;

    /// Verifies the proof of a request, and counts the request.
    fn verify(
        parts: &mut Parts,
        uploads: &Uploads,
    ) -> impl Future<Output = Result<UploadGrant<Self>, ApiError>> + Send;

    /// Returns where the files go. Fails with 403 if the proof does not cover it.
    fn destination(
        self,
        selection: Self::Selection,
        fields: &mut InputFields,
    ) -> impl Future<Output = Result<Destination, ServiceError>> + Send;

    /// Describes how a request proves it, and the errors of a proof that is refused.
    fn describe(operation: &mut Operation<'_>);
}

/// Permission to upload.
pub(crate) struct UploadGrant<P> {
    /// The uploader.
    pub(crate) principal: Principal,
    /// What the proof fixes or limits.
    pub(crate) limits: UploadLimits,
    /// In whose name the request is done once.
    pub(crate) idempotency: IdempotencyScope,
    /// Decides where files may go.
    pub(crate) proof: P,
}

/// What a grant fixes or limits, whatever the request specifies.
#[derive(Clone, Debug, Default)]
pub(crate) struct UploadLimits {
    /// The name of the file, if it is fixed.
    pub(crate) original_name: Option<OriginalName>,
    /// The only allowed MIME type, if there is one.
    pub(crate) content_type: Option<Mime>,
    /// Maximum number of uploads under the config in a clock hour; `None` if uploads are not
    /// counted.
    pub(crate) max_uploads_per_hour: Option<u64>,
}

/// Where files go.
#[derive(Default)]
pub(crate) struct Destination {
    /// The space and the config; `None` only if a field error was recorded.
    pub(crate) scope: Option<UploadScope>,
    /// The selected folder; `None` for that of the config.
    pub(crate) folder: Option<FolderSelector>,
}

/// Fields of every upload.
pub(crate) struct UploadFields<P: Proof> {
    /// Where they are stored; `None` only if a field error was recorded.
    pub(crate) selection: Option<P::Selection>,
    /// The caller's own reference.
    pub(crate) reference: Option<Reference>,
}

impl<P: Proof> UploadFields<P> {
    /// Reads the fields.
    pub(crate) fn read(fields: &mut impl FieldReader) -> UploadFields<P> {
        UploadFields {
            selection: P::Selection::read(fields),
            reference: fields.optional("ref", Reference::parse),
        }
    }
}

impl UploadLimits {
    /// Returns the quota that an upload counts against, if any.
    pub(crate) fn quota(&self, config: UploadConfigId, now: Timestamp) -> Option<HourlyQuota> {
        self.max_uploads_per_hour
            .map(|max| HourlyQuota::new(config, max, now))
    }
}

impl<P: Proof> FromRequestParts<Uploads> for UploadGrant<P> {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        uploads: &Uploads,
    ) -> Result<UploadGrant<P>, ApiError> {
        P::verify(parts, uploads).await
    }
}

impl<P: Proof> DescribeInput for UploadGrant<P> {
    fn describe(operation: &mut Operation<'_>) {
        P::describe(operation);
        operation.idempotency_key();
        for status in [403, 429, 500, 503] {
            operation.error(status);
        }
    }
}

/// An API key: the request's fields select one of its spaces, a config and a folder.
pub(crate) struct ApiKey(Authenticated<Upload>);

/// The space, config and folder that the holder of an API key selects.
pub(crate) struct FreeSelection {
    space: Handle,
    config: Option<UploadConfigReference>,
    folder: Option<FolderSelector>,
}

impl FromFields for FreeSelection {
    fn read(fields: &mut impl FieldReader) -> Option<FreeSelection> {
        let space = fields.required("space", Handle::parse);
        let config = fields.optional("upload_config", UploadConfigReference::parse);
        let folder = match read_folder(fields) {
            Patch::Set(folder) => Some(folder),
            Patch::Keep | Patch::Clear => None,
        };
        Some(FreeSelection {
            space: space?,
            config,
            folder,
        })
    }
}

impl Proof for ApiKey {
    const TEXTS: &'static [&'static str] =
        &["space", "upload_config", "ref", FOLDER_ID, FOLDER_PATH];
    const MAX_FILES: usize = FILES;

    type Selection = FreeSelection;

    async fn verify(parts: &mut Parts, uploads: &Uploads) -> Result<UploadGrant<ApiKey>, ApiError> {
        let auth = Authenticated::<Upload>::from_request_parts(parts, uploads).await?;
        Ok(UploadGrant {
            principal: auth.caller.principal(),
            limits: UploadLimits::default(),
            idempotency: auth.idempotency.clone(),
            proof: ApiKey(auth),
        })
    }

    async fn destination(
        self,
        selection: FreeSelection,
        fields: &mut InputFields,
    ) -> Result<Destination, ServiceError> {
        let ApiKey(auth) = self;
        let FreeSelection {
            space,
            config,
            folder,
        } = selection;
        let scope = auth
            .tenants()
            .upload_scope(&auth.caller, &space, config.as_ref())
            .await?;
        let scope = scope
            .map_err(|field_errors| fields.merge(field_errors))
            .ok();
        Ok(Destination { scope, folder })
    }

    fn describe(operation: &mut Operation<'_>) {
        Authenticated::<Upload>::describe(operation);
    }
}

/// A signed URL, which fixes the space and the config, and may fix the folder.
pub(crate) struct SignedUrl {
    scope: UploadScope,
    folder: Option<SignedFolder>,
}

/// Ids that have to be those that the URL is signed for.
pub(crate) struct SignedSelection {
    space: Option<String>,
    config: Option<String>,
    folder: Option<String>,
}

impl FromFields for SignedSelection {
    fn read(fields: &mut impl FieldReader) -> Option<SignedSelection> {
        let space = fields.optional(SPACE_ID, |id| Ok(id.to_owned()));
        let config = fields.optional(UPLOAD_CONFIG_ID, |id| Ok(id.to_owned()));
        let folder = fields.optional(FOLDER_ID, |id| Ok(id.to_owned()));
        if fields.has_value(FOLDER_PATH) {
            fields.reject(FOLDER_PATH, &NOT_SIGNED);
        }
        Some(SignedSelection {
            space,
            config,
            folder,
        })
    }
}

impl Proof for SignedUrl {
    const TEXTS: &'static [&'static str] =
        &[SPACE_ID, UPLOAD_CONFIG_ID, "ref", FOLDER_ID, FOLDER_PATH];
    const REQUIRED_TEXTS: &'static [&'static str] = &[SPACE_ID, UPLOAD_CONFIG_ID];

    type Selection = SignedSelection;

    async fn verify(
        parts: &mut Parts,
        uploads: &Uploads,
    ) -> Result<UploadGrant<SignedUrl>, ApiError> {
        let edge = &uploads.edge;
        let presented = PresentedUpload::read(
            &UPLOAD_SIGNED.full_path(),
            parts.uri.query().unwrap_or_default(),
        )?;
        let master = uploads.anonymous.master.get().await?;
        let (scope, signed) = edge
            .tenants
            .verify_signed_upload(&presented, master)
            .await?;
        let content_type = signed.content_type.as_deref().map(str::parse).transpose();
        let content_type = content_type.map_err(|_| {
            ServiceError::forbidden("The URL is signed for a content type that is none.")
        })?;

        // A reader of the table must not learn the signature, which opens the space.
        edge.count(parts, &presented.digest(), edge.limit).await?;
        Ok(UploadGrant {
            principal: Principal::SignedUrl,
            limits: UploadLimits {
                original_name: signed.original_name(),
                content_type,
                max_uploads_per_hour: None,
            },
            idempotency: IdempotencyScope::of(parts, edge, |key| {
                key.secret_of(presented.signature())
            }),
            proof: SignedUrl {
                scope,
                folder: signed.folder,
            },
        })
    }

    /// A malformed id is another one.
    async fn destination(
        self,
        selection: SignedSelection,
        _: &mut InputFields,
    ) -> Result<Destination, ServiceError> {
        let SignedUrl { scope, folder } = self;
        let is_space = selection
            .space
            .is_none_or(|id| id.parse() == Ok(scope.space.record().id));
        let is_config = selection
            .config
            .is_none_or(|id| id.parse() == Ok(scope.config.id));
        if !is_space || !is_config {
            return Err(ServiceError::forbidden(
                "The URL is signed for another space or upload config.",
            ));
        }
        if !selection
            .folder
            .is_none_or(|id| folder.is_some_and(|folder| id.parse() == Ok(folder)))
        {
            return Err(ServiceError::forbidden(
                "The URL is signed for another folder.",
            ));
        }

        let folder = folder.map(|folder| FolderSelector {
            from: folder.id(),
            path: None,
        });
        Ok(Destination {
            scope: Some(scope),
            folder,
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.authenticated_by("signed_url");
    }
}

/// The origin of a request, which an upload config allows.
pub(crate) struct Origin(UploadScope);

/// Nothing: the path names the space and the config, which says where files go.
pub(crate) struct NoSelection;

impl FromFields for NoSelection {
    fn read(fields: &mut impl FieldReader) -> Option<NoSelection> {
        for name in [FOLDER_ID, FOLDER_PATH] {
            if fields.has_value(name) {
                fields.reject(name, &NOT_SELECTABLE);
            }
        }
        Some(NoSelection)
    }
}

impl Proof for Origin {
    const TEXTS: &'static [&'static str] = &["ref", FOLDER_ID, FOLDER_PATH];

    type Selection = NoSelection;

    async fn verify(parts: &mut Parts, uploads: &Uploads) -> Result<UploadGrant<Origin>, ApiError> {
        let Uploads {
            edge, anonymous, ..
        } = uploads;
        let viewer = Viewer::of(&parts.extensions)?;
        let handle = path_parameter(parts, SPACE_HANDLE).await?;
        let config = path_parameter(parts, CONFIG_NAME).await?;
        let unverified = edge.tenants.find_unsigned_upload(&handle, &config).await?;

        let who = format!("{}#{}", unverified.config().id, network(viewer.address));
        edge.count(parts, &who, anonymous.limit).await?;
        let origin = RequestOrigin {
            referrer: referrer(&parts.headers),
            is_secure: viewer.is_secure,
        };
        let scope = unverified.verify(origin)?;

        let max_uploads_per_hour = scope
            .config
            .max_uploads_per_hour()
            .unwrap_or(anonymous.uploads_per_hour);
        let idempotency = IdempotencyScope::of(parts, edge, |key| key.secret_of(&who));
        let now = edge.env.now();
        // The transaction that writes the file enforces the quota. Uploads above it are refused
        // here as well, before their bytes are read, transformed and stored. A request with an
        // Idempotency-Key may have been counted before.
        if !idempotency.is_named() {
            scope
                .space
                .require_quota(HourlyQuota::new(scope.config.id, max_uploads_per_hour, now))
                .await?;
        }

        Ok(UploadGrant {
            principal: Principal::Unsigned,
            limits: UploadLimits {
                max_uploads_per_hour: Some(max_uploads_per_hour),
                ..UploadLimits::default()
            },
            idempotency,
            proof: Origin(scope),
        })
    }

    async fn destination(
        self,
        _: NoSelection,
        _: &mut InputFields,
    ) -> Result<Destination, ServiceError> {
        Ok(Destination {
            scope: Some(self.0),
            folder: None,
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.rate_limit_tier(UNSIGNED);
        operation.path_parameter::<Handle>(SPACE_HANDLE);
        operation.path_parameter::<UploadConfigName>(CONFIG_NAME);
    }
}

#[cfg(test)]
mod tests {
    use schemars::SchemaGenerator;
    use web::openapi::SchemaReader;

    use super::*;

    /// Asserts that forms keep the texts of every field that is read.
    fn require_texts<P: Proof>() {
        let mut schemas = SchemaGenerator::default();
        let mut reader = SchemaReader::of_texts(&mut schemas);
        UploadFields::<P>::read(&mut reader);
        let schema = reader.into_schema();
        let fields = schema["properties"].as_object().expect("fields");
        for name in fields.keys() {
            assert!(
                P::TEXTS.contains(&name.as_str()),
                "{name} is read, but not kept"
            );
        }
    }

    #[test]
    fn forms_keep_every_field_that_is_read() {
        require_texts::<ApiKey>();
        require_texts::<SignedUrl>();
        require_texts::<Origin>();
    }
}
