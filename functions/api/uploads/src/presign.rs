//! `POST /upload/presign`, `POST /upload/signed/presign` and `POST
//! /upload/unsigned/:spaceHandle/:configName/presign`: create a pending file whose bytes the client
//! sends to storage.
//!
//! A request that is repeated with its `Idempotency-Key` gets the same file, and a new URL that is
//! valid until the first one expires.

use std::time::Duration;

use axum::extract::State;
use domain::{ConfirmTokens, FieldError, FileId, ServiceError, Timestamp};
use ingest::DeclaredFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tenant::PRESIGNED_URL_LIFETIME_MS;
use web::{ApiError, CreatedUnwrapped, Endpoint, IdempotencyOutcome, Reservation};

use crate::{
    Uploads,
    declared::{DeclaredFields, PresignBody},
    grant::{Proof, UploadGrant},
    in_time,
    request::{Upload, UploadRequest},
};

/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;

/// Where and how to send the bytes.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PresignedView {
    file_id: FileId,
    upload_url: String,
    object_key: String,
    /// Seconds.
    expires_in: u64,
    /// The headers to send with the bytes.
    headers: Map<String, Value>,
    /// Confirms the file in place of a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_token: Option<String>,
}

/// What is kept of a response: everything but its URL.
#[derive(Serialize, Deserialize)]
struct CreatedFile {
    file_id: FileId,
    content_type: String,
    size: u64,
    made_at: Timestamp,
}

pub(crate) const PRESIGN: Endpoint = Endpoint::post(
    "presignUpload",
    "/upload/presign",
    "Create a pending file and get a URL to upload it to",
);

pub(crate) const PRESIGN_SIGNED: Endpoint = Endpoint::post(
    "presignSignedUpload",
    "/upload/signed/presign",
    "Create a pending file by a signed URL",
);

pub(crate) const PRESIGN_UNSIGNED: Endpoint = Endpoint::post(
    "presignUnsignedUpload",
    "/upload/unsigned/{spaceHandle}/{configName}/presign",
    "Create a pending file without a key",
);

/// The handler of all three endpoints.
pub(crate) async fn presign<P: Proof>(
    grant: UploadGrant<P>,
    State(uploads): State<Uploads>,
    body: PresignBody<P>,
) -> Result<CreatedUnwrapped<PresignedView>, ApiError> {
    let PresignBody {
        fields, payload, ..
    } = body;
    let request = UploadRequest::read(grant, fields).await?;
    create_pending(&uploads, request, &payload).await
}

async fn create_pending(
    uploads: &Uploads,
    mut request: UploadRequest,
    payload: &Value,
) -> Result<CreatedUnwrapped<PresignedView>, ApiError> {
    let declared =
        DeclaredFields::read(&mut request.fields).under(&request.limits, &mut request.fields);

    // Read before the file is created: without a token it could not be confirmed.
    let is_anonymous = request.principal.is_anonymous();
    let tokens = if is_anonymous {
        Some(uploads.anonymous.tokens().await?)
    } else {
        None
    };

    let (upload, created, is_replayed) = match request.idempotency.reserve(payload).await {
        Ok(IdempotencyOutcome::Proceed(reservation)) => {
            let create = Box::pin(create(uploads, request, declared, &reservation));
            let (upload, created) = reservation.release_on_failure(create).await?;
            (upload, created, false)
        }
        // A completed request is not validated: it is replayed although it would be refused by now.
        Ok(IdempotencyOutcome::Replay(replay)) => {
            let (upload, _) = request.without_validation(declared)?;
            let created = created_before(uploads, &upload, replay.stored()).await?;
            (upload, created, true)
        }
        Err(error) => {
            request.without_validation(declared)?;
            return Err(error.into());
        }
    };
    let body = presigned_view(uploads, &upload, created, tokens).await?;
    Ok(CreatedUnwrapped { body, is_replayed })
}

/// Validates the request and creates the pending file.
async fn create(
    uploads: &Uploads,
    request: UploadRequest,
    declared: Option<DeclaredFile>,
    reservation: &Reservation,
) -> Result<(Upload, CreatedFile), ApiError> {
    let (upload, declared) = request.validate_declared(declared).await?;

    let target = upload.target().await?;
    let content_type = declared.content_type.clone();
    let expected_type = upload.limits.content_type.as_ref();
    let file = declared.into_record(
        &mut reservation.ids(),
        &target,
        expected_type,
        &uploads.edge.env,
    );
    let created = CreatedFile {
        file_id: file.id,
        content_type,
        size: file.size,
        made_at: file.created_at,
    };

    let completion =
        reservation.complete_with(serde_json::to_vec(&created).map_err(ServiceError::internal)?);
    let assets = upload.assets(uploads);
    let creating =
        assets.create_pending(&file, upload.quota(), &uploads.checks, completion.as_ref());
    in_time(creating, "creating took too long").await?;
    Ok((upload, created))
}

/// Returns the file of a completed request. Fails with 409 if it was refused and removed since.
async fn created_before(
    uploads: &Uploads,
    upload: &Upload,
    kept: &[u8],
) -> Result<CreatedFile, ServiceError> {
    let created: CreatedFile = serde_json::from_slice(kept).map_err(ServiceError::internal)?;
    upload
        .assets(uploads)
        .file(created.file_id)
        .await?
        .ok_or_else(expired)?;
    Ok(created)
}

/// Signs a URL for the bytes of a created file. Fails with 409 if the first URL has expired: the
/// confirm check removes the file some time later.
async fn presigned_view(
    uploads: &Uploads,
    upload: &Upload,
    created: CreatedFile,
    tokens: Option<ConfirmTokens>,
) -> Result<PresignedView, ServiceError> {
    let CreatedFile {
        file_id,
        content_type,
        size,
        made_at,
    } = created;
    let now = uploads.edge.env.now();
    let left_ms = made_at.plus_ms(PRESIGNED_URL_LIFETIME_MS).ms() - now.ms();
    let left_seconds = (left_ms + MS_PER_SECOND - 1).div_euclid(MS_PER_SECOND);
    let lifetime = u64::try_from(left_seconds)
        .ok()
        .filter(|seconds| *seconds > 0)
        .ok_or_else(expired)?;

    let lifetime = Duration::from_secs(lifetime);
    let presigned = upload
        .assets(uploads)
        .presign(file_id, &content_type, size, now, lifetime)
        .await?;
    Ok(PresignedView {
        file_id,
        upload_url: presigned.url,
        object_key: presigned.object_key,
        expires_in: presigned.lifetime.as_secs(),
        headers: Map::from_iter([("content-type".to_owned(), json!(content_type))]),
        confirm_token: tokens.map(|tokens| tokens.of(file_id).reveal().to_owned()),
    })
}

fn expired() -> ServiceError {
    let message = "The upload URL of this request has expired, or its file was refused.";
    let field_error =
        FieldError::Must("is that of a request whose URL has expired, or whose file was refused");
    ServiceError::conflict(message, "idempotency_key", field_error)
}
