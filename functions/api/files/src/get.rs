//! `GET /files/:id`: get a file.

use axum::extract::State;
use domain::File;
use http_api::{
    ApiError, Can, Data, Endpoint, FileFields, ReadFiles, SelectedFileView, ValidQuery,
};

use crate::{FilesState, view::selected_file_view};

pub(crate) const GET: Endpoint = Endpoint::get("getFile", "/files/{id}", "Get a file");

pub(crate) async fn get(
    can: Can<ReadFiles, File>,
    State(files): State<FilesState>,
    ValidQuery(fields): ValidQuery<FileFields>,
) -> Result<Data<SelectedFileView>, ApiError> {
    let view = selected_file_view(&can.space, &can.resource, &files.cdn_url, fields);
    Ok(Data(view.await?))
}
