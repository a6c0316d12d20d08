//! `POST /upload/presign`, `POST /upload/signed/presign` and `POST
//! /upload/unsigned/:spaceHandle/:configName/presign`: create a pending file whose bytes the client
//! sends to storage.
//!
//! A request that is repeated with its `Idempotency-Key` returns the same file and a new URL, which
//! expires an hour after the first request at the latest.

use std::time::Duration;

use axum::extract::State;
use domain::{
    env::Timestamp,
    errors::{FieldError, ServiceError},
    files::File,
    id::FileId,
    uploads::ConfirmTokens,
};
use http_api::{
    caller::{IdempotencyOutcome, Reservation},
    describe::Endpoint,
    response::{ApiError, CreatedUnwrapped},
};
use intake::DeclaredFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use space_store::uploads::{PRESIGNED_URL_LIFETIME_MS, PresignRequest};

use super::declared::{DeclaredFields, PresignBody};
use crate::{
    UploadsState,
    grant::{UploadAuthorization, UploadGrant},
    request::{AcceptedUpload, UploadRequest},
    within_deadline,
};

/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;

/// The pending file, and the request that uploads its bytes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PresignedUpload")]
pub(crate) struct PresignedView {
    /// Id of the pending file.
    file_id: FileId,
    /// URL to send the bytes to with `PUT`: as many as declared, with these `headers` and no other
    /// `x-amz-` ones. Storage rejects every other request with 403.
    upload_url: String,
    /// Key of the temporary object that the URL creates. Confirming the upload copies it to its
    /// final key.
    object_key: String,
    /// Seconds until `upload_url` expires, at most 3,600.
    expires_in: u64,
    /// Headers to send with the bytes, by name.
    headers: Map<String, Value>,
    /// Token that confirms the upload without an API key. Only for uploads without a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_token: Option<String>,
}

/// The stored part of a response. The URL is signed again for each repeated request.
#[derive(Serialize, Deserialize)]
struct StoredResponse {
    file_id: FileId,
    content_type: String,
    size: u64,
    created_at: Timestamp,
}

impl StoredResponse {
    fn of(file: &File, content_type: String) -> StoredResponse {
        StoredResponse {
            file_id: file.id,
            content_type,
            size: file.size,
            created_at: file.created_at,
        }
    }
}

/// A pending file that this request, or an earlier one with its `Idempotency-Key`, created.
struct CreatedPending {
    upload: AcceptedUpload,
    response: StoredResponse,
    is_replayed: bool,
}

pub(crate) const PRESIGN: Endpoint = Endpoint::post(
    "presignUpload",
    "/upload/presign",
    "Create a pending file and a presigned URL to upload it to",
)
.description(
    "The first step of an upload of up to 5 GB. Then send exactly `size` bytes with `PUT` and the \
     response's `headers` to `upload_url` within `expires_in` seconds (at most 3,600), and call \
     `confirmUpload` with `file_id`. A file that is not confirmed is checked two hours after its \
     creation: it becomes active if its bytes are valid, and is removed otherwise. With `replaces`, \
     the bytes are those of that file from the confirmation on, as with `replaceFileContent`; \
     `file_id` is then the id of the upload only.",
)
.errors(&[(409, "The file to replace is pending, or in the trash.")]);

pub(crate) const PRESIGN_SIGNED: Endpoint = Endpoint::post(
    "presignSignedUpload",
    "/upload/signed/presign",
    "Create a pending file with a signed URL",
)
.description(
    "Send the request to the `presign_url` of `generateSignedUploadUrl`. Then send exactly `size` \
     bytes with `PUT` and the response's `headers` to `upload_url`, and call `confirmUpload` with \
     the `confirm_token`, which is valid for two hours. A file has at most 50 MB, unless \
     `max_file_size` of the upload config allows up to 5 GB.",
);

pub(crate) const PRESIGN_UNSIGNED: Endpoint = Endpoint::post(
    "presignUnsignedUpload",
    "/upload/unsigned/{spaceHandle}/{configName}/presign",
    "Create a pending file without an API key",
)
.description(
    "The request needs a `Referer` that the upload config allows. Then send exactly `size` bytes \
     with `PUT` and the response's `headers` to `upload_url`, and call `confirmUpload` with the \
     `confirm_token`, which is valid for two hours. A file has at most 50 MB, unless \
     `max_file_size` of the upload config allows up to 5 GB; it counts towards the hourly limits \
     of accepted uploads when it is confirmed.",
);

/// Handles all three endpoints.
pub(crate) async fn presign<A: UploadAuthorization>(
    grant: UploadGrant<A>,
    State(uploads): State<UploadsState>,
    body: PresignBody<A>,
) -> Result<CreatedUnwrapped<PresignedView>, ApiError> {
    let mut request = UploadRequest::read(grant, body.fields).await?;
    let mut declared = DeclaredFields::read::<A>(&mut request.fields);
    request.replaces = declared.take_replaces();
    let declared = declared.into_file(&request.limits, &mut request.fields);

    // Derived before the file is created: without a token it could not be confirmed.
    let tokens = if request.principal.is_anonymous() {
        Some(uploads.anonymous.tokens().await?)
    } else {
        None
    };

    let created = create_once(&uploads, request, declared, &body.payload).await?;
    let is_replayed = created.is_replayed;
    let signing = presigned_view(&uploads, created, tokens);
    let body = within_deadline(signing, "signing took too long").await?;
    Ok(CreatedUnwrapped { body, is_replayed })
}

/// Creates the pending file, unless an earlier request with the same `Idempotency-Key` did.
async fn create_once(
    uploads: &UploadsState,
    request: UploadRequest,
    declared: Option<DeclaredFile>,
    payload: &Value,
) -> Result<CreatedPending, ApiError> {
    match request.idempotency.reserve(payload).await {
        Ok(IdempotencyOutcome::Proceed(reservation)) => {
            let creating = Box::pin(create(uploads, request, declared, &reservation));
            reservation.release_on_failure(creating).await
        }
        Ok(IdempotencyOutcome::Replay(replay)) => {
            // A completed request is replayed even if its file would be rejected now.
            let upload = request.without_validation(declared)?;
            let response = stored_response(uploads, &upload, replay.stored()).await?;
            Ok(CreatedPending {
                upload,
                response,
                is_replayed: true,
            })
        }
        Err(error) => {
            // Field errors take precedence.
            request.without_validation(declared)?;
            Err(error.into())
        }
    }
}

/// Validates the request and creates the pending file.
async fn create(
    uploads: &UploadsState,
    request: UploadRequest,
    declared: Option<DeclaredFile>,
    reservation: &Reservation,
) -> Result<CreatedPending, ApiError> {
    // Without an Idempotency-Key, it was checked before the body was read.
    let checks_quota = request.idempotency.has_key();
    let valid = request
        .validate_declared(declared, uploads.decoders)
        .await?;
    let upload = valid.upload;
    if checks_quota {
        upload.require_presign_quota(uploads.api.env.now()).await?;
    }
    let declared = valid.content;

    let target = upload.target().await?;
    let content_type = declared.content_type.clone();
    let file = declared.into_record(
        &mut reservation.ids(),
        &target,
        upload.confirmation_terms(),
        &uploads.api.env,
    );
    let response = StoredResponse::of(&file, content_type);

    let stored = serde_json::to_vec(&response).map_err(ServiceError::internal)?;
    let completion = reservation.complete_with(stored);
    let creating =
        upload
            .uploads(uploads)
            .create_pending(&file, &uploads.confirm_checks, completion.as_ref());
    within_deadline(creating, "creating took too long").await?;

    Ok(CreatedPending {
        upload,
        response,
        is_replayed: false,
    })
}

/// Returns the stored response of a completed request. Fails with 409 if its file was rejected and
/// deleted since.
async fn stored_response(
    uploads: &UploadsState,
    upload: &AcceptedUpload,
    stored: &[u8],
) -> Result<StoredResponse, ServiceError> {
    let response: StoredResponse =
        serde_json::from_slice(stored).map_err(ServiceError::internal)?;
    upload
        .uploads(uploads)
        .record(response.file_id, upload.is_replacement)
        .await?
        .ok_or_else(expired)?;
    Ok(response)
}

/// Signs a URL for the bytes of a pending file. Fails with 409 if an hour has passed since the
/// first request, even if the file still exists.
async fn presigned_view(
    uploads: &UploadsState,
    created: CreatedPending,
    tokens: Option<ConfirmTokens>,
) -> Result<PresignedView, ServiceError> {
    let StoredResponse {
        file_id,
        content_type,
        size,
        created_at,
    } = created.response;

    let now = uploads.api.env.now();
    let expires_at = created_at.plus_ms(PRESIGNED_URL_LIFETIME_MS);
    let lifetime = remaining_seconds(expires_at, now).ok_or_else(expired)?;

    let presigned = created
        .upload
        .uploads(uploads)
        .presign(PresignRequest {
            file: file_id,
            content_type: &content_type,
            size_bytes: size,
            now,
            lifetime: Duration::from_secs(lifetime),
        })
        .await?;

    Ok(PresignedView {
        file_id,
        upload_url: presigned.url,
        object_key: presigned.object_key,
        expires_in: presigned.lifetime.as_secs(),
        headers: Map::from_iter([("content-type".to_owned(), json!(content_type))]),
        confirm_token: tokens.map(|tokens| tokens.issue(file_id).reveal().to_owned()),
    })
}

/// Returns the seconds from `now` to `end`, rounded up. `None` if `end` has passed.
fn remaining_seconds(end: Timestamp, now: Timestamp) -> Option<u64> {
    let remaining_ms = end.ms() - now.ms();
    let seconds = (remaining_ms + MS_PER_SECOND - 1).div_euclid(MS_PER_SECOND);
    u64::try_from(seconds).ok().filter(|seconds| *seconds > 0)
}

fn expired() -> ServiceError {
    ServiceError::conflict(
        "The upload URL of this request has expired, or its file was rejected. Send the request \
         with a new Idempotency-Key.",
        "idempotency_key",
        FieldError::Custom("belongs to a request whose URL has expired or whose file was rejected"),
    )
}
