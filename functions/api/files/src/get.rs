//! `GET /files/:id`: get a file.

use axum::extract::State;
use domain::files::File;
use http_api::{
    caller::{Can, ReadFiles},
    describe::Endpoint,
    request::ValidQuery,
    response::{ApiError, Data, FileFields, SelectedFileView},
};

use crate::{FilesState, view::selected_file_view};

pub(crate) const GET: Endpoint = Endpoint::get("getFile", "/files/{id}", "Get a file").description(
    "`url` is null while the file is pending. Jobs add `storage_meta` and `thumbnails` after the \
     upload, usually within about a second: repeat the request until `processing.status` is not \
     `pending`. `access_control` is the effective one, with the file, folder, upload config or \
     space that decides.",
);

pub(crate) async fn get(
    can: Can<ReadFiles, File>,
    State(files): State<FilesState>,
    ValidQuery(fields): ValidQuery<FileFields>,
) -> Result<Data<SelectedFileView>, ApiError> {
    let view = selected_file_view(&can.space, &can.resource, &files.cdn_url, fields);
    Ok(Data(view.await?))
}
