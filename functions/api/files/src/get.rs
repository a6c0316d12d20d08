//! `GET /files/:id`: get a file.

use axum::extract::State;
use domain::File;
use http_api::{ApiError, Can, Data, Endpoint, FileView, ReadFiles};

use crate::{FilesState, view::file_view};

pub(crate) const GET: Endpoint = Endpoint::get("getFile", "/files/{id}", "Get a file");

pub(crate) async fn get(
    can: Can<ReadFiles, File>,
    State(files): State<FilesState>,
) -> Result<Data<FileView>, ApiError> {
    Ok(Data(
        file_view(&can.space, &can.resource, &files.cdn_url).await?,
    ))
}
