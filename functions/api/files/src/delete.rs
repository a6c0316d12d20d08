//! `DELETE /files/:id`, and `DELETE /files` with the id in the query or the body: delete a file.

use axum::{
    body::HttpBody,
    extract::{Request, State},
};
use domain::File;
use http::header;
use web::{Authenticated, Can, Failure, ManageFiles, NoContent, query_fields, read_fields};

use crate::{
    Files,
    same_id::{ID, require_same_id},
};

pub(crate) async fn delete(can: Can<ManageFiles, File>, State(files): State<Files>) -> Result<NoContent, Failure> {
    can.space.demand_file(&can.subject, &can.caller)?;
    can.space.delete_file(can.subject, &files.purge).await?;
    Ok(NoContent)
}

pub(crate) async fn delete_named(
    by: Authenticated,
    state: State<Files>,
    request: Request,
) -> Result<NoContent, Failure> {
    let mut query = query_fields(request.uri(), by.sources().now());
    let id = if query.has(ID) {
        let id = query.required(ID, |id| Ok(id.to_owned()));
        let id = query.finish(id)?;
        require_same_id_in_body(&by, request, &id).await?;
        id
    } else if request.headers().contains_key(header::CONTENT_TYPE) {
        let (mut fields, _) = read_fields(request, by.sources().now()).await?;
        let id = fields.required(ID, |id| Ok(id.to_owned()));
        fields.finish(id)?
    } else {
        let id = query.required(ID, |id| Ok(id.to_owned()));
        query.finish(id)?
    };

    delete(by.can(&id).await?, state).await
}

/// Fails with 422 if the request has a body that names another id. Some clients announce a type and send no body.
async fn require_same_id_in_body(by: &Authenticated, request: Request, id: &str) -> Result<(), Failure> {
    if request.body().is_end_stream() || !request.headers().contains_key(header::CONTENT_TYPE) {
        return Ok(());
    }

    let (mut fields, _) = read_fields(request, by.sources().now()).await?;
    require_same_id(&mut fields, id);
    Ok(fields.finish(Some(()))?)
}
