//! `POST /files/urls`: show where many files are delivered.

use axum::extract::State;
use domain::FileId;
use schemars::JsonSchema;
use serde::Serialize;
use web::{ApiError, Authenticated, Endpoint, FieldReader, FromFields, ValidJson, file_url};

use crate::Files;

/// Most files of one request.
const FILES: usize = 100;

pub(crate) const URLS: Endpoint = Endpoint::post(
    "getFileUrls",
    "/files/urls",
    "Get the delivery URLs of many files",
);

pub(crate) struct FileIds(Vec<String>);

impl FromFields for FileIds {
    fn read(fields: &mut impl FieldReader) -> Option<FileIds> {
        fields
            .required_list("file_ids", FILES, |id| Ok(id.to_owned()))
            .map(FileIds)
    }
}

/// Where a file is delivered; nowhere while it is pending.
#[derive(Serialize, JsonSchema)]
struct FileUrl {
    id: FileId,
    url: Option<String>,
}

/// Those that the caller may know of, and the ids of the others.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FileUrls {
    data: Vec<FileUrl>,
    not_found: Vec<String>,
}

pub(crate) async fn urls(
    auth: Authenticated,
    State(files): State<Files>,
    ValidJson(FileIds(asked)): ValidJson<FileIds>,
) -> Result<axum::Json<FileUrls>, ApiError> {
    let mut ids: Vec<FileId> = Vec::new();
    for id in asked.iter().filter_map(|id| id.parse().ok()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let mut found = auth.tenants().files(&auth.caller, &ids).await?;

    let mut urls = FileUrls {
        data: Vec::new(),
        not_found: Vec::new(),
    };
    let mut seen = Vec::new();
    for id in asked {
        // An id may come in any case; what is no id is shown as it came.
        let parsed: Option<FileId> = id.parse().ok();
        let shown = parsed.map_or(id, |id| id.to_string());
        if seen.contains(&shown) {
            continue;
        }
        match parsed.and_then(|id| Some((id, found.remove(&id)?))) {
            Some((id, (space, file))) => urls.data.push(FileUrl {
                id,
                url: file_url(&file, &space, &files.cdn_url),
            }),
            None => urls.not_found.push(shown.clone()),
        }
        seen.push(shown);
    }
    Ok(axum::Json(urls))
}
