//! `GET /files/:id`: show a file.

use axum::extract::State;
use domain::File;
use web::{Can, FileView, Ok, ReadFiles};

use crate::Files;

pub(crate) async fn get(can: Can<ReadFiles, File>, State(files): State<Files>) -> Ok<FileView> {
    Ok(FileView::of(&can.subject, can.space.record(), &files.cdn_url))
}
