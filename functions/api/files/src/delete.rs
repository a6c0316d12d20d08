//! `DELETE /files/:id`, and `DELETE /files` with the id in the query or the body: delete a file.

use axum::extract::{Request, State};
use domain::File;
use http::header;
use web::{Authenticated, Can, Failure, ManageFiles, NoContent, query_fields, read_fields};

use crate::Files;

pub(crate) async fn delete(can: Can<ManageFiles, File>, State(files): State<Files>) -> Result<NoContent, Failure> {
    can.space.demand_file(&can.subject, &can.caller)?;
    can.space.delete_file(can.subject, &files.purge, &can.sources).await?;
    Ok(NoContent)
}

pub(crate) async fn delete_named(
    by: Authenticated,
    state: State<Files>,
    request: Request,
) -> Result<NoContent, Failure> {
    let mut fields = query_fields(request.uri(), by.sources().now());
    if !fields.has("id") && request.headers().contains_key(header::CONTENT_TYPE) {
        fields = read_fields(request, by.sources().now()).await?.0;
    }
    let id = fields.required("id", |id| Ok(id.to_owned()));
    let id = fields.finish(id)?;
    delete(by.can(&id).await?, state).await
}
