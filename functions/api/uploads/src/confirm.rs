//! `POST /upload/confirm/:fileId`: make a file active whose bytes were sent to storage.
//!
//! The caller has the key that declared the file, the key of an admin, or the token that came with
//! the URL.

use std::convert::Infallible;

use axum::extract::{FromRequest, FromRequestParts, Request, State};
use domain::{FieldError, FieldErrors, File, FileId, FileStatus, Role, ServiceError};
use http::header;
use ingest::ConfirmOutcome;
use tenant::SpaceScope;
use web::{
    AnonymousFileView, ApiError, Authenticated, Can, Data, Endpoint, FieldReader, FileView,
    FromFields, JsonObject, Upload, has_key,
    openapi::{DescribeInput, Operation},
    path_parameter,
};

use crate::{Uploads, in_time, views::UploadedView};

/// The field that holds the token of an anonymous file.
const TOKEN: &str = "confirm_token";
/// The field that errors of the file's bytes name.
const FILE: &str = "file";

pub(crate) const CONFIRM: Endpoint = Endpoint::post(
    "confirmUpload",
    "/upload/confirm/{fileId}",
    "Confirm that a file was uploaded to its URL",
)
.errors(&[(409, "The file has not been uploaded yet.")]);

/// A request that proves by a key, or by a confirm token, who declared the file.
pub(crate) struct ConfirmRequest(Request);

impl<S: Send + Sync> FromRequest<S> for ConfirmRequest {
    type Rejection = Infallible;

    async fn from_request(request: Request, _state: &S) -> Result<ConfirmRequest, Infallible> {
        Ok(ConfirmRequest(request))
    }
}

impl DescribeInput for ConfirmRequest {
    fn describe(operation: &mut Operation<'_>) {
        Authenticated::<Upload>::describe(operation);
        operation.without_authentication();
        operation.path_parameter::<FileId>("fileId");
        operation.json_body::<TokenFields>();
    }
}

/// The body of a caller without a key.
struct TokenFields {
    token: Option<String>,
}

impl FromFields for TokenFields {
    fn read(fields: &mut impl FieldReader) -> Option<TokenFields> {
        Some(TokenFields {
            token: fields.optional(TOKEN, |token| Ok(token.to_owned())),
        })
    }
}

pub(crate) async fn confirm(
    State(uploads): State<Uploads>,
    ConfirmRequest(request): ConfirmRequest,
) -> Result<Data<UploadedView>, ApiError> {
    let (mut parts, body) = request.into_parts();
    let id = path_parameter(&mut parts, "fileId").await?;
    let request = Request::from_parts(parts, body);
    let has_key = has_key(request.headers(), request.uri().query());

    let (space, file) = if has_key {
        by_key(&uploads, &id, request).await?
    } else {
        by_token(&uploads, &id, request).await?
    };
    space.require_uploads()?;
    let file = in_time(activate(&uploads, &space, file), "confirming took too long").await?;

    let view = if has_key {
        let folders = space.folder_chain(file.folder.as_ref()).await?;
        UploadedView::One(Box::new(FileView::of(
            &file,
            folders.as_ref(),
            space.record(),
            &uploads.cdn_url,
        )))
    } else {
        UploadedView::Anonymous(AnonymousFileView::of(
            &file,
            space.record(),
            &uploads.cdn_url,
        ))
    };
    Ok(Data(view))
}

async fn by_key(
    uploads: &Uploads,
    id: &str,
    request: Request,
) -> Result<(SpaceScope, File), ApiError> {
    let (mut parts, _) = request.into_parts();
    let auth = Authenticated::<Upload>::from_request_parts(&mut parts, uploads).await?;
    let can: Can<Upload, File> = auth.can(id).await?;
    if can.resource.uploaded_by != can.caller.principal() {
        can.space.require_role(Role::Admin)?;
    }
    Ok((can.space, can.resource))
}

async fn by_token(
    uploads: &Uploads,
    id: &str,
    request: Request,
) -> Result<(SpaceScope, File), ApiError> {
    let (parts, body) = request.into_parts();
    // A request without a body cannot have a token.
    if !parts.headers.contains_key(header::CONTENT_TYPE) {
        return Err(ServiceError::unauthenticated().into());
    }

    let request = Request::from_parts(parts.clone(), body);
    let JsonObject { mut fields, .. } = JsonObject::read(request, uploads.edge.env.now()).await?;
    let read = TokenFields::read(&mut fields);
    let token = fields
        .finish(read)?
        .token
        .ok_or_else(ServiceError::unauthenticated)?;

    let id: FileId = id.parse().map_err(|_| ServiceError::not_found())?;
    uploads
        .anonymous
        .file(&uploads.edge, &parts, id, &token)
        .await
}

/// Returns the file, active. Fails with 409 if nothing was sent yet, with 422 if the bytes break
/// the rules, and with 404 if the file was removed.
async fn activate(uploads: &Uploads, space: &SpaceScope, file: File) -> Result<File, ServiceError> {
    if file.status == FileStatus::Active {
        return Ok(file);
    }

    let assets = space.file_store(&uploads.originals);
    match ingest::confirm(&assets, &file).await? {
        ConfirmOutcome::Active(file) => Ok(*file),
        ConfirmOutcome::NotUploaded => {
            // Another request may have refused and removed it meanwhile.
            assets
                .file(file.id)
                .await?
                .ok_or_else(ServiceError::not_found)?;
            let message = "The file has not been uploaded yet.";
            Err(ServiceError::conflict(
                message,
                FILE,
                FieldError::Must("must be uploaded to its URL first"),
            ))
        }
        ConfirmOutcome::Rejected(field_error) => {
            if assets.discard(&file).await? {
                return Err(FieldErrors::from((FILE, field_error)).into());
            }
            // Another request was faster.
            assets
                .file(file.id)
                .await?
                .filter(|file| file.status == FileStatus::Active)
                .ok_or_else(ServiceError::not_found)
        }
        ConfirmOutcome::Deleted => Err(ServiceError::not_found()),
    }
}
