//! `POST /files/urls`: show where many files are delivered.

use axum::extract::State;
use domain::{FileId, Violation};
use serde::Serialize;
use web::{Authenticated, Failure, Fields, Request, Valid, file_url};

use crate::Files;

/// Most files of one request.
const FILES: usize = 100;
/// The field that names them.
const FIELD: &str = "file_ids";

pub(crate) struct FileIds(Vec<String>);

impl Request for FileIds {
    fn read(fields: &mut Fields) -> Option<FileIds> {
        if !fields.has(FIELD) {
            fields.violate(FIELD, &Violation::Required);
            return None;
        }
        let ids = fields.list(FIELD, FILES, |id| Ok(id.to_owned()))?;
        if ids.is_empty() {
            fields.violate(FIELD, &Violation::Required);
        }
        Some(FileIds(ids))
    }
}

/// Where a file is delivered; nowhere while it is pending.
#[derive(Serialize)]
struct FileUrl {
    id: String,
    url: Option<String>,
}

/// Those that the caller may know of, and the ids of the others.
#[derive(Serialize)]
pub(crate) struct FileUrls {
    data: Vec<FileUrl>,
    not_found: Vec<String>,
}

pub(crate) async fn urls(
    by: Authenticated,
    State(files): State<Files>,
    Valid(FileIds(asked)): Valid<FileIds>,
) -> Result<axum::Json<FileUrls>, Failure> {
    let mut ids: Vec<FileId> = Vec::new();
    for id in asked.iter().filter_map(|id| id.parse().ok()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let mut found = by.tenants().files(&by.caller, &ids).await?;
    let (mut urls, mut seen) = (FileUrls { data: Vec::new(), not_found: Vec::new() }, Vec::new());
    for id in asked {
        // An id is one in any case; what is none is shown as it came.
        let id = id.parse().map_or(id, |id: FileId| id.to_string());
        if seen.contains(&id) {
            continue;
        }
        match id.parse().ok().and_then(|id: FileId| found.remove(&id)) {
            Some((space, file)) => {
                urls.data.push(FileUrl { id: id.clone(), url: file_url(&file, &space, &files.cdn_url) });
            }
            None => urls.not_found.push(id.clone()),
        }
        seen.push(id);
    }
    Ok(axum::Json(urls))
}
