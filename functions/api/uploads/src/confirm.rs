//! `POST /upload/confirm/:fileId`: take in a file whose bytes were sent to storage.
//!
//! Whoever announced it has a key; a stranger has the token that came with the address.

use axum::extract::{FromRequestParts, Path, Request, State};
use domain::{Fault, File, FileId, FileStatus, Role, Sources, Violation, Violations};
use intake::Confirmed;
use tenant::Space;
use web::{Authenticated, Can, Failure, FileView, Ok, Upload, has_key, read_fields};

use crate::Uploads;

/// The field that holds a stranger's token.
const TOKEN: &str = "confirm_token";
/// The field under which it is said what is wrong with a file.
const FILE: &str = "file";

pub(crate) async fn confirm(
    State(uploads): State<Uploads>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Ok<FileView>, Failure> {
    let has_key = has_key(request.headers(), request.uri().query());
    let (space, file, sources) =
        if has_key { by_key(&uploads, &id, request).await? } else { by_token(&uploads, &id, request).await? };
    space.demand_uploads(&sources)?;
    let confirming = Box::pin(active(&uploads, &space, file, &sources));
    let confirmed = runtime::done_in_time(confirming).await;
    let file = confirmed.unwrap_or_else(|| Err(Fault::unavailable("confirming took too long")))?;
    Result::Ok(Ok(FileView::of(&file, space.record(), &uploads.cdn_url)))
}

async fn by_key(uploads: &Uploads, id: &str, request: Request) -> Result<(Space, File, Sources), Failure> {
    let (mut parts, _) = request.into_parts();
    let by = Authenticated::from_request_parts(&mut parts, uploads).await?;
    let can: Can<Upload, File> = by.can(id).await?;
    if can.subject.uploaded_by != can.caller.principal() {
        can.space.demand(Role::Admin)?;
    }
    Result::Ok((can.space, can.subject, can.sources))
}

async fn by_token(uploads: &Uploads, id: &str, request: Request) -> Result<(Space, File, Sources), Failure> {
    let sources = uploads.edge.sources.clone();
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    // Whoever sends no token has said nothing of who they are.
    let (mut fields, _) = read_fields(request, sources.now()).await.map_err(|_| Fault::unauthenticated())?;
    let token = fields.optional(TOKEN, |token| Result::Ok(token.to_owned()));
    let token = fields.finish(Some(token))?.ok_or_else(Fault::unauthenticated)?;
    let id: FileId = id.parse().map_err(|_| Fault::not_found())?;
    let (space, file) = uploads.edge.strangers_file(&parts, id, &token, &uploads.strangers.tokens).await?;
    Result::Ok((space, file, sources))
}

/// The file, active.
async fn active(uploads: &Uploads, space: &Space, file: File, sources: &Sources) -> Result<File, Fault> {
    if file.status == FileStatus::Active {
        return Result::Ok(file);
    }
    let assets = space.assets(&uploads.originals);
    match intake::confirm(&assets, &file, sources).await? {
        Confirmed::Active(file) => Result::Ok(*file),
        Confirmed::Absent => {
            let message = "The file has not been uploaded yet.";
            Err(Fault::conflict(message, FILE, Violation::Must("must be uploaded to its URL first")))
        }
        Confirmed::Refused(violation) => {
            if assets.discard(&file, sources).await? {
                return Err(Violations::from((FILE, violation)).into());
            }
            // Somebody else was faster.
            assets.again(&file).await?.filter(|file| file.status == FileStatus::Active).ok_or_else(Fault::not_found)
        }
        Confirmed::Gone => Err(Fault::not_found()),
    }
}
