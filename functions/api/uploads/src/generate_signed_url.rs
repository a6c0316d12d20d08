//! `POST /upload/generate-signed-url`: an address by which its holder uploads in the caller's
//! place.

use axum::extract::State;
use domain::{
    ServiceError, SignedFolder, SignedUpload, SigningSecret, SpaceId, Timestamp, UploadConfig,
    UploadConfigId,
};
use http::{Extensions, HeaderMap};
use runtime::Viewer;
use schemars::JsonSchema;
use serde::Serialize;
use tenant::{FolderSelector, SpaceScope};
use web::{
    ApiError, Authenticated, Can, Data, Endpoint, FOLDER_ID, FieldReader, FolderReference,
    FromFields, ResourceId, Rfc3339, Upload, ValidJson, expires_seconds,
};

use crate::{
    Uploads,
    declared::{ContentType, FileName},
    presign::PRESIGN_SIGNED,
    upload::UPLOAD_SIGNED,
};

/// Minutes for which an address is good, where the request does not say.
const DEFAULT_MINUTES: i64 = 30;
/// The method by which the address is used.
const METHOD: &str = "POST";

/// An address that is asked for.
pub(crate) struct SignUrlRequest {
    config_id: String,
    expires_seconds: i64,
    filename: Option<String>,
    content_type: Option<String>,
    folder: Option<SignedFolder>,
}

impl FromFields for SignUrlRequest {
    fn read(fields: &mut impl FieldReader) -> Option<SignUrlRequest> {
        let config_id = fields
            .required("upload_config_id", ResourceId::parse)
            .map(|id| id.0);
        let expires_seconds = expires_seconds(fields, DEFAULT_MINUTES);
        let filename = fields
            .optional("filename", FileName::parse)
            .map(|name| name.0);
        let content_type = fields
            .optional("content_type", ContentType::parse)
            .map(|content_type| content_type.text);
        let folder = fields
            .optional(FOLDER_ID, FolderReference::parse)
            .map(|folder| SignedFolder::from(folder.0));
        Some(SignUrlRequest {
            config_id: config_id?,
            expires_seconds,
            filename,
            content_type,
            folder,
        })
    }
}

/// An address, and what it allows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SignedUploadUrlView {
    url: String,
    presign_url: String,
    method: &'static str,
    expires_at: Rfc3339,
    upload_config_id: UploadConfigId,
    space_id: SpaceId,
}

pub(crate) const GENERATE_SIGNED_URL: Endpoint = Endpoint::post(
    "generateSignedUploadUrl",
    "/upload/generate-signed-url",
    "Sign a URL that uploads without a key",
);

pub(crate) async fn generate_signed_url(
    auth: Authenticated<Upload>,
    State(uploads): State<Uploads>,
    extensions: Extensions,
    headers: HeaderMap,
    ValidJson(SignUrlRequest {
        config_id,
        expires_seconds,
        filename,
        content_type,
        folder,
    }): ValidJson<SignUrlRequest>,
) -> Result<Data<SignedUploadUrlView>, ApiError> {
    let base_url = Viewer::of(&extensions)?.base_url(&headers)?;
    let can: Can<Upload, UploadConfig> = auth
        .authorize_reference("upload_config_id", &config_id)
        .await?;
    can.space.require_uploads()?;
    require_folder(&can.space, folder).await?;

    let space = can.space.record();
    let config_id = can.resource.id;
    let signed = SignedUpload {
        space_id: space.id,
        config_id,
        expires_seconds,
        filename,
        content_type,
        folder,
    };
    let secret = SigningSecret::of(
        space.id,
        space.signing.generation,
        uploads.anonymous.master.get().await?,
    );
    let query = signed.query(&UPLOAD_SIGNED.full_path(), space.signing, &secret);
    Ok(Data(SignedUploadUrlView {
        url: format!("{base_url}{}?{query}", UPLOAD_SIGNED.full_path()),
        presign_url: format!("{base_url}{}?{query}", PRESIGN_SIGNED.full_path()),
        method: METHOD,
        expires_at: Timestamp::from_seconds(expires_seconds).into(),
        upload_config_id: can.resource.id,
        space_id: space.id,
    }))
}

/// Fails with 422 if a folder does not exist in the space.
async fn require_folder(
    space: &SpaceScope,
    folder: Option<SignedFolder>,
) -> Result<(), ServiceError> {
    if let Some(folder) = folder {
        let selector = FolderSelector {
            from: folder.id(),
            path: None,
        };
        space.placement(&selector).await??;
    }
    Ok(())
}
