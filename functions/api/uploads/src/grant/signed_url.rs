//! Uploads with a signed URL.
//!
//! Invariant: with a key end the URLs that it signed, and the confirmations with their tokens.

use domain::{
    errors::{FieldError, ServiceError},
    keys::Principal,
    uploads::{SignedFolder, SignedUploadUrl, UploadPermit},
};
use http::request::Parts;
use http_api::{
    caller::IdempotencyScope,
    describe::OperationBuilder,
    fields::{FOLDER_ID, FOLDER_PATH, FieldReader, FieldSource, FromFields, InputFields},
    response::{AnonymousFileView, ApiError},
};
use mime::Mime;
use space_store::{
    folders::FolderSelector,
    uploads::{PermittedUpload, UploadScope},
};

use super::{ResolvedTarget, UploadAuthorization, UploadGrant, UploadLimits};
use crate::{UploadsState, upload::UPLOAD_SIGNED};

/// Fields that repeat the ids that the URL is signed for.
const SPACE_ID: &str = "space_id";
const UPLOAD_CONFIG_ID: &str = "upload_config_id";
/// Parameters of every signed URL, with their descriptions.
const SIGNED_PARAMETERS: [(&str, &str); 6] = [
    ("kid", "Id of the signing secret."),
    ("key_id", "Id of the API key that the URL ends with."),
    (SPACE_ID, "Id of the space."),
    (UPLOAD_CONFIG_ID, "Id of the upload config."),
    (
        "expires",
        "Time from which the URL is rejected, in seconds since 1970.",
    ),
    (
        "signature",
        "Signature of the path and of the other parameters.",
    ),
];
/// Parameters of signed URLs that fix a property of the file, with their descriptions.
const OPTIONAL_SIGNED_PARAMETERS: [(&str, &str); 4] = [
    ("user_id", "Id of the user whose account key `key_id` is."),
    (FOLDER_ID, "Id of the folder of the file, or `root`."),
    ("filename", "Name of the file."),
    ("content_type", "MIME type of the file."),
];
/// The field error of an id that differs from that of the signed URL.
const NOT_SIGNED_FOR: FieldError = FieldError::Custom("must be the one that the URL is signed for");
/// The field error of a folder path.
const FOLDER_PATH_NOT_ALLOWED: FieldError =
    FieldError::Custom("must not be present: the signed URL or its upload config sets the folder");

/// An upload with a signed URL. The URL fixes the space and the upload config, and may fix the
/// folder, the file's name and its MIME type.
pub(crate) struct BySignedUrl {
    scope: UploadScope,
    folder: Option<SignedFolder>,
}

/// The target fields of a signed upload, by default those of the signed URL. They must equal them.
pub(crate) struct SignedUrlTarget {
    space: Option<String>,
    config: Option<String>,
    folder: Option<String>,
}

impl FromFields for SignedUrlTarget {
    fn read(fields: &mut impl FieldReader) -> Option<SignedUrlTarget> {
        let space = fields.optional(SPACE_ID, |id| Ok(id.to_owned()));
        let config = fields.optional(UPLOAD_CONFIG_ID, |id| Ok(id.to_owned()));
        let folder = fields.optional(FOLDER_ID, |id| Ok(id.to_owned()));
        if fields.has_value(FOLDER_PATH) {
            fields.reject(FOLDER_PATH, &FOLDER_PATH_NOT_ALLOWED);
        }
        fields.describe(
            SPACE_ID,
            "Id of the space that the URL is signed for, which is the default.",
        );
        fields.describe(
            UPLOAD_CONFIG_ID,
            "Id of the upload config that the URL is signed for, which is the default.",
        );
        fields.describe(
            FOLDER_ID,
            "Id of the folder that the URL is signed for, or `root`.",
        );

        Some(SignedUrlTarget {
            space,
            config,
            folder,
        })
    }
}

impl UploadAuthorization for BySignedUrl {
    const TEXT_FIELDS: &'static [&'static str] =
        &[SPACE_ID, UPLOAD_CONFIG_ID, "ref", FOLDER_ID, FOLDER_PATH];

    type TargetFields = SignedUrlTarget;
    type View = AnonymousFileView;

    async fn authorize(
        parts: &mut Parts,
        uploads: &UploadsState,
    ) -> Result<UploadGrant<BySignedUrl>, ApiError> {
        let api = &uploads.api;
        let presented = SignedUploadUrl::parse(
            &UPLOAD_SIGNED.full_path(),
            parts.uri.query().unwrap_or_default(),
        )?;
        let master_secret = uploads.anonymous.master_secret.get().await?;
        let PermittedUpload { scope, permit } = api
            .tenants
            .upload_scopes()
            .verify_signed(&presented, master_secret)
            .await?;
        let content_type = parse_content_type(&permit)?;

        // The counter's key is a digest, since the table must not reveal the signature.
        api.count(parts, &presented.digest(), api.limit).await?;

        Ok(UploadGrant {
            principal: Principal::SignedUrl,
            limits: UploadLimits {
                original_name: permit.original_name(),
                content_type,
                signed_by: Some(permit.key),
                ..UploadLimits::default()
            },
            idempotency: IdempotencyScope::of(parts, api, |key| {
                key.anonymous_secret(presented.signature())
            }),
            authorization: BySignedUrl {
                scope,
                folder: permit.folder,
            },
        })
    }

    /// A malformed id counts as a different one.
    async fn resolve_target(
        self,
        target: SignedUrlTarget,
        fields: &mut InputFields,
    ) -> Result<ResolvedTarget, ServiceError> {
        let BySignedUrl { scope, folder } = self;

        let is_same_space = target
            .space
            .is_none_or(|id| id.parse() == Ok(scope.space.record().id));
        let is_same_config = target
            .config
            .is_none_or(|id| id.parse() == Ok(scope.config.id));
        for (name, is_same) in [
            (SPACE_ID, is_same_space),
            (UPLOAD_CONFIG_ID, is_same_config),
        ] {
            if !is_same {
                fields.reject(name, &NOT_SIGNED_FOR);
            }
        }

        let is_same_folder = target
            .folder
            .is_none_or(|id| folder.is_some_and(|folder| id.parse() == Ok(folder)));
        if !is_same_folder {
            return Err(ServiceError::forbidden(
                "The URL is signed for another folder.",
            ));
        }

        Ok(ResolvedTarget {
            scope: Some(scope),
            folder: folder.map(|folder| FolderSelector {
                from: folder.id(),
                path: None,
            }),
        })
    }

    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.query(|fields| {
            for (name, description) in SIGNED_PARAMETERS {
                fields.required(name, |value| Ok(value.to_owned()));
                fields.describe(name, description);
            }
            for (name, description) in OPTIONAL_SIGNED_PARAMETERS {
                fields.optional(name, |value| Ok(value.to_owned()));
                fields.describe(name, description);
            }
        });
    }
}

/// Returns the MIME type that the URL is signed for, if any.
fn parse_content_type(permit: &UploadPermit) -> Result<Option<Mime>, ServiceError> {
    let content_type = permit.content_type.as_deref();
    content_type
        .map(str::parse)
        .transpose()
        .map_err(|_| ServiceError::forbidden("The content type of the signed URL is malformed."))
}
