//! `POST /upload`, `POST /upload/signed` and `POST /upload/unsigned/:spaceHandle/:configName`:
//! store the files of a form, all of them or none.

use axum::extract::State;
use ingest::ReceivedFile;
use web::{ApiError, Created, Endpoint, IdempotencyOutcome, Reservation};

use crate::{
    Uploads,
    form::UploadForm,
    grant::{Proof, UploadGrant},
    in_time,
    request::UploadRequest,
    views::UploadedView,
};

pub(crate) const UPLOAD: Endpoint = Endpoint::post("uploadFiles", "/upload", "Upload files");

/// Every signed URL is signed for this path, also those to presign.
pub(crate) const UPLOAD_SIGNED: Endpoint = Endpoint::post(
    "uploadSigned",
    "/upload/signed",
    "Upload a file by a signed URL",
);

pub(crate) const UPLOAD_UNSIGNED: Endpoint = Endpoint::post(
    "uploadUnsigned",
    "/upload/unsigned/{spaceHandle}/{configName}",
    "Upload a file without a key",
);

/// The handler of all three endpoints.
pub(crate) async fn upload<P: Proof>(
    grant: UploadGrant<P>,
    State(uploads): State<Uploads>,
    form: UploadForm<P>,
) -> Result<Created<UploadedView>, ApiError> {
    let UploadForm { form, .. } = form;
    let request = UploadRequest::read(grant, form.fields).await?;

    // A completed request is replayed although its files would be refused by now, but not into a
    // space that is gone.
    let reservation = match request.idempotency.reserve(&form.payload).await? {
        IdempotencyOutcome::Proceed(reservation) => reservation,
        IdempotencyOutcome::Replay(replay) => {
            request.without_validation(Some(()))?;
            return Ok(Created::Replayed(replay));
        }
    };
    let stored = Box::pin(store(
        uploads,
        request,
        form.files,
        form.is_list,
        &reservation,
    ));
    reservation
        .release_on_failure(stored)
        .await
        .map(Created::New)
}

async fn store(
    uploads: Uploads,
    request: UploadRequest,
    files: Vec<ReceivedFile>,
    is_list: bool,
    reservation: &Reservation,
) -> Result<UploadedView, ApiError> {
    let (upload, validated) = request.validate_files(files).await?;

    let target = upload.target().await?;
    let files = ingest::new_files(
        &validated,
        &mut reservation.ids(),
        &target,
        &uploads.edge.env,
    );
    let view = UploadedView::of(&files, &target, is_list, &uploads.cdn_url);

    let completion = reservation.complete(&view);
    let assets = upload.assets(&uploads);
    in_time(
        assets.store(&files, upload.quota(), completion.as_ref()),
        "storing took too long",
    )
    .await?;
    Ok(view)
}
