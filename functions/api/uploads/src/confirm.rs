//! `POST /upload/confirm/:fileId`: take in a file whose bytes were sent to storage.
//!
//! Whoever announced it has a key; a stranger has the token that came with the address.

use axum::extract::{FromRequestParts, Request, State};
use domain::{Fault, File, FileId, FileStatus, Role, Sources, Violation, Violations};
use http::header;
use intake::Confirmed;
use serde::Serialize;
use tenant::Space;
use web::{AnonymousFileView, Authenticated, Can, Failure, FileView, Ok, Upload, has_key, path_parameter, read_fields};

use crate::Uploads;

/// The field that holds a stranger's token.
const TOKEN: &str = "confirm_token";
/// The field under which it is said what is wrong with a file.
const FILE: &str = "file";

/// A confirmed file, as a key or as its confirm token shows it.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum ConfirmedView {
    ByKey(Box<FileView>),
    ByToken(AnonymousFileView),
}

pub(crate) async fn confirm(State(uploads): State<Uploads>, request: Request) -> Result<Ok<ConfirmedView>, Failure> {
    let (mut parts, body) = request.into_parts();
    let id = path_parameter(&mut parts, "fileId").await?;
    let request = Request::from_parts(parts, body);
    let has_key = has_key(request.headers(), request.uri().query());
    let (space, file, sources) =
        if has_key { by_key(&uploads, &id, request).await? } else { by_token(&uploads, &id, request).await? };
    space.demand_uploads()?;
    let confirming = Box::pin(active(&uploads, &space, file, &sources));
    let confirmed = runtime::done_in_time(confirming).await;
    let file = confirmed.unwrap_or_else(|| Err(Fault::unavailable("confirming took too long")))?;
    if !has_key {
        let view = AnonymousFileView::of(&file, space.record(), &uploads.cdn_url);
        return Result::Ok(Ok(ConfirmedView::ByToken(view)));
    }

    let folders = space.folder_chain(file.folder.as_ref()).await?;
    let view = FileView::of(&file, folders.as_ref(), space.record(), &uploads.cdn_url);
    Result::Ok(Ok(ConfirmedView::ByKey(Box::new(view))))
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
    // Whoever sends no token has said nothing of who they are.
    if !parts.headers.contains_key(header::CONTENT_TYPE) {
        return Err(Fault::unauthenticated().into());
    }
    let (mut fields, _) = read_fields(Request::from_parts(parts.clone(), body), sources.now()).await?;
    let token = fields.optional(TOKEN, |token| Result::Ok(token.to_owned()));
    let token = fields.finish(Some(token))?.ok_or_else(Fault::unauthenticated)?;
    let id: FileId = id.parse().map_err(|_| Fault::not_found())?;
    let (space, file) = uploads.edge.strangers_file(&parts, id, &token, &uploads.strangers).await?;
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
            // Somebody else may have found it wrong meanwhile.
            assets.file(file.id).await?.ok_or_else(Fault::not_found)?;
            let message = "The file has not been uploaded yet.";
            Err(Fault::conflict(message, FILE, Violation::Must("must be uploaded to its URL first")))
        }
        Confirmed::Refused(violation) => {
            if assets.discard(&file).await? {
                return Err(Violations::from((FILE, violation)).into());
            }
            // Somebody else was faster.
            assets.file(file.id).await?.filter(|file| file.status == FileStatus::Active).ok_or_else(Fault::not_found)
        }
        Confirmed::Gone => Err(Fault::not_found()),
    }
}
