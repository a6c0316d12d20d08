//! `POST /files/:id/signed-url`: sign a URL that delivers a file without an API key.

use axum::extract::State;
use domain::{env::Timestamp, files::File, signing::QueryParameter};
use http_api::{
    caller::{Can, ReadFiles},
    describe::Endpoint,
    fields::{FieldReader, FromFields, read_expires_seconds},
    request::ValidJson,
    response::{ApiError, Data, Rfc3339, UrlSigner, file_url},
};
use schemars::JsonSchema;
use serde::Serialize;
use space_store::files::require_untrashed;

use crate::{FilesState, TRASHED, transformation_fields::read_transformation};

/// Minutes until a signed URL expires if the request does not specify any.
const DEFAULT_MINUTES: i64 = 60;
/// The field and the query parameter that deliver a file as a download.
const DOWNLOAD: &str = "download";

pub(crate) const SIGN_URL: Endpoint = Endpoint::post(
    "signFileUrl",
    "/files/{id}/signed-url",
    "Sign a delivery URL of a file",
)
.description(
    "The URL delivers the file without an API key until `expires_at`, after 1 to 1,440 minutes \
     (default 60). The signature covers the transformation and `download`: parameters cannot be \
     added or changed afterwards. To end the URL earlier, delete the file, or end all signed URLs \
     of the space with `rotateSigningSecret` and `immediate: true`.",
)
.errors(&[TRASHED]);

pub(crate) struct SignDeliveryUrl {
    /// Time of expiry, in seconds since 1970.
    expires_seconds: i64,
    /// The query parameters of the URL.
    parameters: Vec<QueryParameter<'static>>,
}

impl FromFields for SignDeliveryUrl {
    fn read(fields: &mut impl FieldReader) -> Option<SignDeliveryUrl> {
        let expires_seconds = read_expires_seconds(fields, DEFAULT_MINUTES);

        fields.describe(
            "expiration_minutes",
            "Minutes until the URL expires. Default: 60.",
        );

        let mut parameters = read_transformation(fields);
        if fields.boolean(DOWNLOAD) == Some(true) {
            parameters.push(QueryParameter::new(DOWNLOAD, "1"));
        }
        fields.describe(
            DOWNLOAD,
            "Whether browsers save the file instead of showing it. Default: false.",
        );

        Some(SignDeliveryUrl {
            expires_seconds,
            parameters,
        })
    }
}

/// A signed delivery URL.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignedUrl")]
pub(crate) struct SignedUrlView {
    /// The signed URL. Null while the file is pending.
    url: Option<String>,
    /// Time from which the URL is rejected.
    expires_at: Rfc3339,
}

pub(crate) async fn signed_url(
    can: Can<ReadFiles, File>,
    State(files): State<FilesState>,
    ValidJson(request): ValidJson<SignDeliveryUrl>,
) -> Result<Data<SignedUrlView>, ApiError> {
    let space = can.space.record();
    let file = &can.resource;
    require_untrashed(file)?;
    let master_secret = files.master_secret.get().await?;
    let signer = UrlSigner::new(space, master_secret, request.expires_seconds);
    let sign = |url: String| signer.sign(&url, &file.storage_path, &request.parameters);

    Ok(Data(SignedUrlView {
        url: file_url(file, space, &files.cdn_url).map(sign),
        expires_at: Timestamp::from_seconds(request.expires_seconds).into(),
    }))
}
