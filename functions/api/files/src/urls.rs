//! `POST /files/urls`: get the delivery URLs of up to 100 files, in any spaces of the caller.

use axum::extract::State;
use domain::FileId;
use http_api::{ApiError, Authenticated, Endpoint, FieldReader, FromFields, ValidJson, file_url};
use schemars::JsonSchema;
use serde::Serialize;

use crate::FilesState;

/// Maximum number of files in one request.
const MAX_FILES: usize = 100;

pub(crate) const URLS: Endpoint = Endpoint::post(
    "getFileUrls",
    "/files/urls",
    "Get the delivery URLs of up to 100 files",
)
.description(
    "Each id appears once, in the order of the request: under `data` with its `url`, or under \
     `not_found` if the file does not exist or the caller may not read it. `url` is null while a \
     file is pending, and not signed: for protected files, use `signFileUrl`.",
);

pub(crate) struct FileIds(Vec<String>);

impl FromFields for FileIds {
    fn read(fields: &mut impl FieldReader) -> Option<FileIds> {
        let ids = fields.required_list("file_ids", MAX_FILES, |id| Ok(id.to_owned()));
        fields.describe("file_ids", "Ids of 1 to 100 files, in any spaces.");
        ids.map(FileIds)
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
fn requested_ids(texts: Vec<String>) -> Vec<RequestedId> {
    let mut requested: Vec<RequestedId> = Vec::new();
    for candidate in texts.into_iter().map(RequestedId::from) {
        if !requested.iter().any(|known| known.text == candidate.text) {
            requested.push(candidate);
        }
    }
    requested
}

pub(crate) async fn urls(
    auth: Authenticated,
    State(files): State<FilesState>,
    ValidJson(FileIds(texts)): ValidJson<FileIds>,
) -> Result<axum::Json<FileUrls>, ApiError> {
    let requested = requested_ids(texts);
    let ids: Vec<FileId> = requested
        .iter()
        .filter_map(|requested| requested.id)
        .collect();
    let found = auth.tenants().files(&auth.caller, &ids).await?;

    let mut urls = FileUrls {
        data: Vec::new(),
        not_found: Vec::new(),
    };
    for RequestedId { id, text } in requested {
        match id.and_then(|id| found.get(&id)) {
            Some(found) => urls.data.push(FileUrl {
                id: found.file.id,
                url: file_url(&found.file, &found.space, &files.cdn_url),
            }),
            None => urls.not_found.push(text),
        }
    }
    Ok(axum::Json(urls))
}
