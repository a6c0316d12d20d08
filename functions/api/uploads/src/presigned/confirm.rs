//! `POST /upload/confirm/:fileId`: activate a pending file whose bytes were sent to its presigned
//! URL.
//!
//! The caller authenticates with an API key of the principal that declared the file or of an admin,
//! or with the confirm token that was returned with the URL. An upload that replaces the bytes of a
//! file requires a key that may manage that file, and the response is that file.

use std::convert::Infallible;

use axum::extract::{FromRequest, FromRequestParts, Request, State};
use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    files::File,
    id::FileId,
    keys::Principal,
    settings::FileStatus,
};
use http::header;
use http_api::{
    caller::{Authenticated, Can, Upload, has_key, path_parameter},
    describe::{DescribeInput, Endpoint, OperationBuilder},
    fields::{FieldReader, FromFields},
    request::JsonObject,
    response::{AnonymousFileView, ApiError, Data, FileView},
};
use intake::ConfirmOutcome;
use space_store::{
    spaces::{Scoped, SpaceScope},
    uploads::{ActivationOutcome, PendingRecord, require_replaceable},
};

use crate::{UploadsState, views::ConfirmedView, within_deadline};

/// The field of the token of an unsigned upload.
const TOKEN: &str = "confirm_token";
/// The field that errors of the uploaded bytes are reported under.
const FILE: &str = "file";

pub(crate) const CONFIRM: Endpoint = Endpoint::post(
    "confirmUpload",
    "/upload/confirm/{fileId}",
    "Confirm that a file was uploaded to its presigned URL",
)
.description(
    "The last step after the `PUT` to the presigned URL: validates the bytes, activates the file, \
     and sends `file.uploaded`. Use the key that presigned the upload, that of an admin, or the \
     `confirm_token`, which returns a reduced record. Bytes that violate the rules are rejected \
     with 422 and the file is removed; a retry for an active file is safe, and returns it again. \
     An upload with `replaces` gives the bytes to that file, sends `file.replaced` if the upload \
     config has this event, and returns the file.",
)
.errors(&[(
    409,
    "The file has not been uploaded to its presigned URL yet, or its stored name is taken.",
)]);

/// A request that authenticates by an API key or by a confirm token.
pub(crate) struct ConfirmRequest(Request);

impl<S: Send + Sync> FromRequest<S> for ConfirmRequest {
    type Rejection = Infallible;

    async fn from_request(request: Request, _state: &S) -> Result<ConfirmRequest, Infallible> {
        Ok(ConfirmRequest(request))
    }
}

impl DescribeInput for ConfirmRequest {
    fn describe(operation: &mut OperationBuilder<'_>) {
        Authenticated::<Upload>::describe(operation);
        operation.without_authentication();
        operation.path_parameter::<FileId>("fileId");
        operation.json_body::<ConfirmFields>();
    }
}

/// The body of a request without an API key.
struct ConfirmFields {
    token: Option<String>,
}

impl FromFields for ConfirmFields {
    fn read(fields: &mut impl FieldReader) -> Option<ConfirmFields> {
        let token = fields.optional(TOKEN, |token| Ok(token.to_owned()));
        fields.describe(
            TOKEN,
            "Token of the presign response. Required without an API key.",
        );
        Some(ConfirmFields { token })
    }
}

/// The upload to confirm, and its space.
struct ConfirmTarget {
    space: SpaceScope,
    record: PendingRecord,
}

pub(crate) async fn confirm(
    State(uploads): State<UploadsState>,
    ConfirmRequest(request): ConfirmRequest,
) -> Result<Data<ConfirmedView>, ApiError> {
    let (mut parts, body) = request.into_parts();
    let id = path_parameter(&mut parts, "fileId").await?;
    let request = Request::from_parts(parts, body);

    let has_key = has_key(request.headers(), request.uri().query());
    let ConfirmTarget { space, record } = if has_key {
        find_by_key(&uploads, &id, request).await?
    } else {
        find_by_token(&uploads, &id, request).await?
    };
    space.require_uploads()?;

    let activating = activate(&uploads, &space, record);
    let file = within_deadline(activating, "confirming took too long").await?;

    let view = if has_key {
        let folders = space.folders().chain_of_file(&file).await?;
        let view = FileView::of(&file, folders.as_ref(), space.record(), &uploads.cdn_url);
        ConfirmedView::WithKey(Box::new(view))
    } else {
        let view = AnonymousFileView::of(&file, space.record(), &uploads.cdn_url);
        ConfirmedView::WithToken(view)
    };
    Ok(Data(view))
}

/// Returns the upload. Fails with 403 if the caller may not manage it or the file whose bytes it
/// replaces, and with 404 if that was deleted, which removes the upload.
async fn find_by_key(
    uploads: &UploadsState,
    id: &str,
    request: Request,
) -> Result<ConfirmTarget, ApiError> {
    let (mut parts, _) = request.into_parts();
    let auth = Authenticated::<Upload>::from_request_parts(&mut parts, uploads).await?;
    let can: Can<Upload, PendingRecord> = auth.can(id).await?;
    let space = can.space;
    let record = can.resource;
    let files = space.files();
    files.require_manager(&record.file, &can.caller)?;

    if let Some(replaced) = &record.replaced {
        files.require_manager(replaced, &can.caller)?;
        require_replaceable(replaced, FILE)?;
    } else if record.is_orphaned() {
        let uploads = space.uploads(&uploads.storage);
        uploads.pending(&record).discard().await?;
        return Err(ServiceError::not_found().into());
    }
    Ok(ConfirmTarget { space, record })
}

/// Returns the file of the confirm token in the body. Counts the request against the rate limit of
/// the upload that declared the file. Fails with 403 if a signed URL declared the pending file, and
/// its key is no longer valid.
async fn find_by_token(
    uploads: &UploadsState,
    id: &str,
    request: Request,
) -> Result<ConfirmTarget, ApiError> {
    let (parts, body) = request.into_parts();
    // A request without a body has no token.
    if !parts.headers.contains_key(header::CONTENT_TYPE) {
        return Err(ServiceError::unauthenticated().into());
    }

    let request = Request::from_parts(parts.clone(), body);
    let mut fields = JsonObject::read(request, uploads.api.env.now())
        .await?
        .fields;
    let body = ConfirmFields::read(&mut fields);
    let token = fields
        .finish(body)?
        .token
        .ok_or_else(ServiceError::unauthenticated)?;

    let id: FileId = id.parse().map_err(|_| ServiceError::not_found())?;
    let tokens = uploads.anonymous.tokens().await?;
    let found = uploads
        .api
        .tenants
        .upload_scopes()
        .anonymous_file(id, &token, &tokens)
        .await?;
    let Scoped {
        space,
        record: file,
    } = found.ok_or_else(ServiceError::not_found)?;
    let record = PendingRecord {
        file,
        replaced: None,
    };

    let limit = if record.file.uploaded_by == Principal::Unsigned {
        uploads.anonymous.limit
    } else {
        uploads.api.limit
    };
    uploads.api.count(&parts, &id.to_string(), limit).await?;
    let pending = space.uploads(&uploads.storage).pending(&record);
    pending.require_signing_key().await?;
    Ok(ConfirmTarget { space, record })
}

/// Returns the active file. Fails with 409 if its bytes were not uploaded yet or its stored name is
/// taken, with 422 if they break the rules, with 404 if the file was deleted, and with 429 if the
/// hourly quota of an unsigned upload is exhausted.
async fn activate(
    uploads: &UploadsState,
    space: &SpaceScope,
    record: PendingRecord,
) -> Result<File, ServiceError> {
    match record.file.status {
        FileStatus::Active => return Ok(record.replaced.unwrap_or(record.file)),
        FileStatus::Trashed => return Err(ServiceError::not_found()),
        FileStatus::Pending => {}
    }

    let pending = space.uploads(&uploads.storage).pending(&record);
    match intake::confirm(pending, uploads.decoders).await? {
        ConfirmOutcome::Activation(ActivationOutcome::Active(file)) => Ok(*file),
        ConfirmOutcome::Activation(ActivationOutcome::NameTaken { name }) => {
            Err(space_store::uploads::name_taken(&name))
        }
        ConfirmOutcome::Activation(ActivationOutcome::Deleted) => Err(ServiceError::not_found()),
        ConfirmOutcome::Activation(ActivationOutcome::OverQuota(error)) => Err(error),
        ConfirmOutcome::NotUploaded => {
            // A concurrent request may have rejected and deleted the file.
            pending
                .reload()
                .await?
                .ok_or_else(ServiceError::not_found)?;
            Err(not_uploaded())
        }
        ConfirmOutcome::Activation(ActivationOutcome::Rejected(field_error)) => {
            if pending.discard().await? {
                return Err(FieldErrors::from((FILE, field_error)).into());
            }
            // A concurrent request has activated or deleted the file.
            let is_active = |file: &File| file.status == FileStatus::Active;
            let confirmed = pending.reload().await?.filter(is_active);
            let file = match (&record.replaced, confirmed) {
                (Some(replaced), Some(_)) => space.files().get(replaced.id).await?,
                (_, confirmed) => confirmed,
            };
            file.filter(is_active).ok_or_else(ServiceError::not_found)
        }
    }
}

fn not_uploaded() -> ServiceError {
    ServiceError::conflict(
        "The file has not been uploaded yet.",
        FILE,
        FieldError::Custom("must be uploaded to its presigned URL first"),
    )
}
