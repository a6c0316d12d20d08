//! `POST /upload`, `POST /upload/signed` and `POST /upload/unsigned/:spaceHandle/:configName`:
//! store the files of a form, all of them or none.

use axum::extract::State;
use http_api::{
    caller::{IdempotencyOutcome, Reservation},
    describe::Endpoint,
    response::{ApiError, Created},
};

use crate::{
    STORING_TOOK_TOO_LONG, UploadsState,
    forms::{FormFiles, UploadForm},
    grant::{UploadAuthorization, UploadGrant},
    request::UploadRequest,
    views::UploadView,
    within_deadline,
};

pub(crate) const UPLOAD: Endpoint = Endpoint::post("uploadFiles", "/upload", "Upload files")
    .description(
        "Send a form with `space` and one file as `file`, or up to 10 as `files`, of at most 50 \
         MB each (about 4.4 MB in total behind AWS Lambda); for larger files, use \
         `presignUpload`. All files are stored or none: they are active at once, and \
         `file.uploaded` is sent for each. With `files`, `data` is a list; thumbnails and \
         metadata follow within about a second (`getFile`).",
    );

/// All signed URLs are signed for this path, also those used to presign.
pub(crate) const UPLOAD_SIGNED: Endpoint = Endpoint::post(
    "uploadSigned",
    "/upload/signed",
    "Upload a file with a signed URL",
)
.description(
    "Send a form with one file as `file` to the `url` of `generateSignedUploadUrl`, which can be \
     used again until it expires; `space_id` and `upload_config_id` are optional. The file has at \
     most 50 MB (about 4.4 MB behind AWS Lambda); above 4 MB, use `presignSignedUpload`. The file \
     is active at once, `file.uploaded` is sent, and the response contains a reduced record.",
);

pub(crate) const UPLOAD_UNSIGNED: Endpoint = Endpoint::post(
    "uploadUnsigned",
    "/upload/unsigned/{spaceHandle}/{configName}",
    "Upload a file without an API key",
)
.description(
    "Send a form with one file as `file`, from a page whose `Referer` the upload config allows; \
     the response contains a reduced record. The file has at most 50 MB (about 4.4 MB behind AWS \
     Lambda); above 4 MB, use `presignUnsignedUpload`. Accepted uploads count towards the hourly \
     limits of the upload config and of the client address.",
);

/// Handles all three endpoints.
pub(crate) async fn upload<A: UploadAuthorization>(
    grant: UploadGrant<A>,
    State(uploads): State<UploadsState>,
    form: UploadForm<A>,
) -> Result<Created<A::View>, ApiError> {
    let mut in_flight = form.unread.begin(&uploads.forms)?;
    let form = form
        .unread
        .read(&mut in_flight, uploads.api.env.now())
        .await?;
    let request = UploadRequest::read(grant, form.fields).await?;

    let reservation = match request.idempotency.reserve(&form.payload).await? {
        IdempotencyOutcome::Proceed(reservation) => reservation,
        IdempotencyOutcome::Replay(replay) => {
            // A completed request is replayed even if its files would be rejected now, but not if
            // its space or config no longer exists.
            request.without_validation(Some(()))?;
            return Ok(Created::Replayed(replay));
        }
    };

    let storing = store(uploads, request, form.files, &reservation);
    let storing = within_deadline(storing, STORING_TOOK_TOO_LONG);
    let stored = reservation.release_on_failure(storing).await?;
    Ok(Created::New(stored))
}

/// Validates, transforms and stores the files.
async fn store<View: UploadView>(
    uploads: UploadsState,
    request: UploadRequest,
    form_files: FormFiles,
    reservation: &Reservation,
) -> Result<View, ApiError> {
    let valid = request
        .validate_files(form_files.received, uploads.decoders)
        .await?;
    let upload = valid.upload;

    let target = upload.target().await?;
    let files = intake::new_files(
        &valid.content,
        &mut reservation.ids(),
        &target,
        &uploads.api.env,
    );
    let view = View::of(&files, &target, form_files.is_list, &uploads.cdn_url)?;

    let completion = reservation.complete(&view);
    upload
        .uploads(&uploads)
        .store(
            &files,
            upload.rules(),
            upload.quota(uploads.api.env.now()).as_ref(),
            completion.as_ref(),
        )
        .await?;
    Ok(view)
}
