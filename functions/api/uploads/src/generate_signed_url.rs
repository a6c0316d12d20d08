//! `POST /upload/generate-signed-url`: an address by which its holder uploads in the caller's place.

use axum::extract::State;
use domain::{Fault, SIGNED_UPLOAD_PATH, SignedFolder, SignedUpload, SigningSecret, Timestamp, UploadConfig};
use http::{Extensions, HeaderMap};
use runtime::Viewer;
use serde::Serialize;
use tenant::Space;
use web::{
    Authenticated, Can, FOLDER_ID, Failure, Fields, NamedFolder, Ok, Request, Upload, Valid, expires_seconds,
    folder_reference,
};

use crate::{Uploads, promise};

/// Minutes for which an address is good, where the request does not say.
const DEFAULT_MINUTES: i64 = 30;
/// The method by which the address is used.
const METHOD: &str = "POST";

/// An address that is asked for.
pub(crate) struct Asked {
    config_id: String,
    expires_seconds: i64,
    filename: Option<String>,
    content_type: Option<String>,
    folder: Option<SignedFolder>,
}

impl Request for Asked {
    fn read(fields: &mut Fields) -> Option<Asked> {
        let config_id = fields.required("upload_config_id", |id| Result::Ok(id.to_owned()));
        let expires_seconds = expires_seconds(fields, DEFAULT_MINUTES);
        let filename = fields.optional("filename", promise::file_name);
        let content_type = fields.optional("content_type", |text| promise::content_type(text).map(|_| text.to_owned()));
        let folder = fields.optional(FOLDER_ID, |id| folder_reference(id).map(SignedFolder::from));
        Some(Asked { config_id: config_id?, expires_seconds, filename, content_type, folder })
    }
}

/// An address, and what it allows.
#[derive(Serialize)]
pub(crate) struct SignedUrlView {
    url: String,
    presign_url: String,
    method: &'static str,
    expires_at: String,
    upload_config_id: String,
    space_id: String,
}

pub(crate) async fn generate_signed_url(
    by: Authenticated,
    State(uploads): State<Uploads>,
    extensions: Extensions,
    headers: HeaderMap,
    Valid(Asked { config_id, expires_seconds, filename, content_type, folder }): Valid<Asked>,
) -> Result<Ok<SignedUrlView>, Failure> {
    let base_url = Viewer::of(&extensions)?.base_url(&headers)?;
    let can: Can<Upload, UploadConfig> = by.can_refer("upload_config_id", &config_id).await?;
    can.space.demand_uploads()?;
    require_folder(&can.space, folder).await?;

    let space = can.space.record();
    let config_id = can.subject.id;
    let signed = SignedUpload { space_id: space.id, config_id, expires_seconds, filename, content_type, folder };
    let secret = SigningSecret::of(space.id, space.signing.generation, &uploads.strangers.master);
    let query = signed.query(space.signing, &secret);
    Result::Ok(Ok(SignedUrlView {
        url: format!("{base_url}{SIGNED_UPLOAD_PATH}?{query}"),
        presign_url: format!("{base_url}{SIGNED_UPLOAD_PATH}/presign?{query}"),
        method: METHOD,
        expires_at: Timestamp::from_seconds(expires_seconds).rfc3339(),
        upload_config_id: can.subject.id.to_string(),
        space_id: space.id.to_string(),
    }))
}

/// Fails with 422 if a folder does not exist in the space.
async fn require_folder(space: &Space, folder: Option<SignedFolder>) -> Result<(), Fault> {
    if let Some(folder) = folder {
        NamedFolder::signed(folder).target(space).await??;
    }
    Result::Ok(())
}
