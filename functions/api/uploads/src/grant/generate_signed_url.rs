//! `POST /upload/generate-signed-url`: sign a URL that uploads without an API key.

use axum::extract::State;
use domain::{
    env::Timestamp,
    errors::{FieldError, ServiceError},
    id::{SpaceId, UploadConfigId},
    signing::SigningSecret,
    spaces::Space,
    uploads::{SignedFolder, SigningApiKey, UploadConfig, UploadPermit},
};
use http::{Extensions, HeaderMap};
use http_api::{
    caller::{Authenticated, Can, ResourceId, Upload},
    describe::Endpoint,
    fields::{
        FOLDER_ID, FOLDER_PATH, FieldReader, FolderReference, FromFields, read_expires_seconds,
    },
    request::ValidJson,
    response::{ApiError, Data, Rfc3339},
};
use runtime::http::Viewer;
use schemars::JsonSchema;
use serde::Serialize;
use space_store::{folders::FolderSelector, spaces::SpaceScope};

use crate::{
    UploadsState,
    presign::PRESIGN_SIGNED,
    presigned::{ContentType, DeclaredName},
    upload::UPLOAD_SIGNED,
};

/// Minutes until a signed URL expires if the request does not specify any.
const DEFAULT_MINUTES: i64 = 30;
/// The field error of a folder path, which would not limit the URL.
const FOLDER_PATH_NOT_SIGNED: FieldError =
    FieldError::Custom("must not be present: a URL is signed for a folder by its id");
/// The method that the URL is used with.
const METHOD: &str = "POST";

pub(crate) struct SignUploadUrl {
    config_id: String,
    /// Time of expiry, in seconds since 1970.
    expires_seconds: i64,
    filename: Option<String>,
    content_type: Option<String>,
    folder: Option<SignedFolder>,
}

impl FromFields for SignUploadUrl {
    fn read(fields: &mut impl FieldReader) -> Option<SignUploadUrl> {
        let config_id = fields
            .required("upload_config_id", ResourceId::parse)
            .map(|id| id.0);
        let expires_seconds = read_expires_seconds(fields, DEFAULT_MINUTES);
        let filename = fields
            .optional("filename", DeclaredName::parse)
            .map(|name| name.0);
        let content_type = fields
            .optional("content_type", ContentType::parse)
            .map(|content_type| content_type.text);
        let folder = fields
            .optional(FOLDER_ID, FolderReference::parse)
            .map(|folder| SignedFolder::from(folder.0));
        if fields.has_value(FOLDER_PATH) {
            fields.reject(FOLDER_PATH, &FOLDER_PATH_NOT_SIGNED);
        }
        fields.describe("upload_config_id", "Id of the upload config.");
        fields.describe(
            "expiration_minutes",
            "Minutes until the URL expires. Default: 30.",
        );
        fields.describe(
            "filename",
            "Name of the file, which replaces the name in the upload.",
        );
        fields.describe("content_type", "The only MIME type that the URL accepts.");
        fields.describe(
            FOLDER_ID,
            "Folder of the files: an id, or `root`. Default: the folder of the upload config.",
        );

        Some(SignUploadUrl {
            config_id: config_id?,
            expires_seconds,
            filename,
            content_type,
            folder,
        })
    }
}

/// A signed URL that uploads files without an API key, until it expires or the key that signed it
/// is revoked or expires.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignedUploadUrl")]
pub(crate) struct SignedUploadUrlView {
    /// URL to upload a form to.
    url: String,
    /// URL to create a pending file with, for uploads to a presigned URL.
    presign_url: String,
    /// HTTP method of both URLs: `POST`.
    method: &'static str,
    /// Time from which the URL is rejected.
    expires_at: Rfc3339,
    /// Id of the upload config.
    upload_config_id: UploadConfigId,
    /// Id of the space.
    space_id: SpaceId,
}

pub(crate) const GENERATE_SIGNED_URL: Endpoint = Endpoint::post(
    "generateSignedUploadUrl",
    "/upload/generate-signed-url",
    "Sign a URL that uploads without an API key",
)
.description(
    "Returns `url` for `uploadSigned` and `presign_url` for `presignSignedUpload`, valid for 1 to \
     1,440 minutes (default 30) and for any number of uploads. They end earlier if the key of \
     this request is revoked or expires. `filename`, `content_type` and `folder_id` are covered \
     by the signature, and apply to every upload.",
);

pub(crate) async fn generate_signed_url(
    auth: Authenticated<Upload>,
    State(uploads): State<UploadsState>,
    extensions: Extensions,
    headers: HeaderMap,
    ValidJson(request): ValidJson<SignUploadUrl>,
) -> Result<Data<SignedUploadUrlView>, ApiError> {
    let base_url = Viewer::of(&extensions)?.base_url(&headers)?;

    let can: Can<Upload, UploadConfig> = auth
        .authorize_reference("upload_config_id", &request.config_id)
        .await?;
    can.space.require_uploads()?;
    require_folder(&can.space, request.folder).await?;

    let space = can.space.record();
    let permit = UploadPermit {
        space_id: space.id,
        config_id: can.resource.id,
        expires_seconds: request.expires_seconds,
        filename: request.filename,
        content_type: request.content_type,
        folder: request.folder,
        key: SigningApiKey {
            id: can.caller.key_id(),
            user_id: can.caller.user(),
        },
    };
    let query = sign(&uploads, space, &permit).await?;
    let upload_path = UPLOAD_SIGNED.full_path();
    let presign_path = PRESIGN_SIGNED.full_path();

    Ok(Data(SignedUploadUrlView {
        url: format!("{base_url}{upload_path}?{query}"),
        presign_url: format!("{base_url}{presign_path}?{query}"),
        method: METHOD,
        expires_at: Timestamp::from_seconds(permit.expires_seconds).into(),
        upload_config_id: permit.config_id,
        space_id: space.id,
    }))
}

/// Returns the signed query of the URLs.
async fn sign(
    uploads: &UploadsState,
    space: &Space,
    permit: &UploadPermit,
) -> Result<String, ServiceError> {
    let master_secret = uploads.anonymous.master_secret.get().await?;
    let secret = SigningSecret::of(space.id, space.signing.generation, master_secret);
    Ok(permit.query(&UPLOAD_SIGNED.full_path(), &secret))
}

/// Fails with 422 if the folder does not exist in the space.
async fn require_folder(
    space: &SpaceScope,
    folder: Option<SignedFolder>,
) -> Result<(), ServiceError> {
    let Some(folder) = folder else { return Ok(()) };
    let selector = FolderSelector {
        from: folder.id(),
        path: None,
    };
    space.folders().placement(&selector).await??;
    Ok(())
}
