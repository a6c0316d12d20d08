//! `GET /files/by-ref?space_id=&ref=`: show the newest file that has a reference.

use axum::extract::State;
use domain::{Fault, Reference};
use http::Uri;
use web::{Authenticated, Can, Failure, FileView, Ok, ReadFiles, query_fields};

use crate::{Files, shown::shown};

pub(crate) async fn by_ref(by: Authenticated, State(files): State<Files>, uri: Uri) -> Result<Ok<FileView>, Failure> {
    let mut fields = query_fields(&uri, by.sources().now());
    let reference = fields.required("ref", Reference::parse);
    let reference = fields.finish(reference)?;
    let can: Can<ReadFiles> = by.can_list(&uri).await?;
    let file = can.space.file_by_reference(&reference).await?.ok_or_else(Fault::not_found)?;
    Result::Ok(Ok(shown(&can.space, &file, &files.cdn_url).await?))
}
