//! `POST /files/urls`: get the delivery URLs of up to 100 files, in any spaces of the caller, as
//! requested transformed and signed.

use axum::extract::State;
use domain::{
    id::FileId,
    renditions::{TRANSFORMATION_PARAMETERS, misnamed_transformation_fields},
    settings::FileStatus,
    signing::QueryParameter,
    spaces::Space,
};
use http_api::{
    caller::Authenticated,
    describe::Endpoint,
    fields::{FieldReader, FromFields, read_optional_expires_seconds},
    request::ValidJson,
    response::{ApiError, UrlSigner, file_url},
};
use schemars::JsonSchema;
use serde::Serialize;
use space_store::files::FileInSpace;

use crate::{FilesState, transformation_fields::read_transformation};

/// Maximum number of files in one request.
const MAX_FILES: usize = 100;

pub(crate) const URLS: Endpoint = Endpoint::post(
    "getFileUrls",
    "/files/urls",
    "Get the delivery URLs of up to 100 files",
)
.description(
    "Each id appears once, in the order of the request: under `data` with its `url`, or under \
     `not_found` if the file does not exist, is trashed or the caller may not read it. `url` is null while a \
     file is pending. It has the `transformation`, and with `expiration_minutes` a signature.",
);

pub(crate) struct UrlsRequest {
    ids: Vec<String>,
    /// The query parameters of the URLs.
    parameters: Vec<QueryParameter<'static>>,
    /// Time at which signed URLs expire, in seconds since 1970; `None` if the URLs are not signed.
    expires_seconds: Option<i64>,
}

impl FromFields for UrlsRequest {
    fn read(fields: &mut impl FieldReader) -> Option<UrlsRequest> {
        let ids = fields.required_list("file_ids", MAX_FILES, |id| Ok(id.to_owned()));
        let expires_seconds = read_optional_expires_seconds(fields, "expiration_minutes");
        let parameters = fields.object("transformation", |fields| {
            // The other known names have errors that say what to use.
            let misnamed = misnamed_transformation_fields().map(|(name, _)| name);
            let known: Vec<&str> = TRANSFORMATION_PARAMETERS
                .into_iter()
                .chain(misnamed)
                .collect();
            fields.deny_unknown(&known);
            Some(read_transformation(fields))
        });
        fields.describe("file_ids", "Ids of 1 to 100 files, in any spaces.");
        fields.describe(
            "expiration_minutes",
            "Minutes until the URLs expire. Without it, they are not signed.",
        );
        fields.describe("transformation", "Transformation of the images.");

        Some(UrlsRequest {
            ids: ids?,
            parameters: parameters.unwrap_or_default(),
            expires_seconds,
        })
    }
}

impl UrlsRequest {
    /// Returns the URL of a file, signed if there is a signer; `None` while the file is pending.
    fn url_of(
        &self,
        found: &FileInSpace,
        cdn_url: &str,
        signer: Option<&UrlSigner>,
    ) -> Option<String> {
        let FileInSpace { space, file } = found;
        let url = file_url(file, space, cdn_url)?;
        if let Some(signer) = signer {
            return Some(signer.sign(&url, &file.storage_path, &self.parameters));
        }
        if self.parameters.is_empty() {
            return Some(url);
        }

        // Valid parameters need no encoding.
        let pairs = self
            .parameters
            .iter()
            .map(|parameter| format!("{}={}", parameter.name, parameter.value));
        let query = pairs.collect::<Vec<_>>().join("&");
        Some(format!("{url}?{query}"))
    }
}

/// The delivery URL of a file.
#[derive(Serialize, JsonSchema)]
struct FileUrl {
    id: FileId,
    /// Null while the file is pending.
    url: Option<String>,
}

/// The delivery URLs of the requested files.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FileUrls {
    /// URLs of the files that exist and that the caller may read, in the order of the request.
    data: Vec<FileUrl>,
    /// The other requested ids, in the order of the request.
    not_found: Vec<String>,
}

struct RequestedId {
    /// The id, or `None` if it is malformed.
    id: Option<FileId>,
    /// The id in upper case. A malformed one is unchanged.
    text: String,
}

impl From<String> for RequestedId {
    fn from(text: String) -> RequestedId {
        let id: Option<FileId> = text.parse().ok();
        RequestedId {
            id,
            text: id.map_or(text, |id| id.to_string()),
        }
    }
}

/// Returns each requested id once, ignoring case.
fn requested_ids(texts: &[String]) -> Vec<RequestedId> {
    let mut requested: Vec<RequestedId> = Vec::new();
    for candidate in texts.iter().cloned().map(RequestedId::from) {
        if !requested.iter().any(|known| known.text == candidate.text) {
            requested.push(candidate);
        }
    }
    requested
}

pub(crate) async fn urls(
    auth: Authenticated,
    State(files): State<FilesState>,
    ValidJson(request): ValidJson<UrlsRequest>,
) -> Result<axum::Json<FileUrls>, ApiError> {
    let requested = requested_ids(&request.ids);
    let ids: Vec<FileId> = requested
        .iter()
        .filter_map(|requested| requested.id)
        .collect();
    let found = auth.tenants().files(&auth.caller, &ids).await?;
    let master = match request.expires_seconds {
        Some(_) => Some(files.master_secret.get().await?),
        None => None,
    };
    let signer = |space: &Space| {
        let (master, expires_seconds) = master.zip(request.expires_seconds)?;
        Some(UrlSigner::new(space, master, expires_seconds))
    };

    let mut urls = FileUrls {
        data: Vec::new(),
        not_found: Vec::new(),
    };
    for RequestedId { id, text } in requested {
        let found = id.and_then(|id| found.get(&id));
        match found.filter(|found| found.file.status != FileStatus::Trashed) {
            Some(found) => urls.data.push(FileUrl {
                id: found.file.id,
                url: request.url_of(found, &files.cdn_url, signer(&found.space).as_ref()),
            }),
            None => urls.not_found.push(text),
        }
    }
    Ok(axum::Json(urls))
}
