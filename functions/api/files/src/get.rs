//! `GET /files/:id`: show a file.

use axum::extract::State;
use domain::File;
use web::{Can, Failure, FileView, Ok, ReadFiles};

use crate::{Files, shown::shown};

pub(crate) async fn get(can: Can<ReadFiles, File>, State(files): State<Files>) -> Result<Ok<FileView>, Failure> {
    Result::Ok(Ok(shown(&can.space, &can.subject, &files.cdn_url).await?))
}
