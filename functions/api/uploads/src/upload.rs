//! `POST /upload`, `POST /upload/signed` and `POST /upload/unsigned/:spaceHandle/:configName`: store the files of a form,
//! all of them or none.

use axum::extract::{Request, State};
use ingest::{FILES, ReceivedFile};
use web::{ApiKeyUpload, Begun, Created, Endpoint, Failure, Reservation, SignedUrlUpload, UnsignedUpload, UploadGrant};

use crate::{
    Uploads,
    form::{self, Form, FormShape},
    in_time,
    request::UploadRequest,
    views::UploadedView,
};

/// The form of an upload with a key.
const API_KEY_FORM: FormShape = FormShape {
    texts: &["space", "upload_config", "ref", "folder_id", "folder_path"],
    required: &[],
    max_files: FILES,
};
/// The form of a signed upload.
const SIGNED_FORM: FormShape = FormShape {
    texts: &["space_id", "upload_config_id", "ref", "folder_id", "folder_path"],
    required: &["space_id", "upload_config_id"],
    max_files: 1,
};
/// The form of an unsigned upload.
const UNSIGNED_FORM: FormShape = FormShape { texts: &["ref", "folder_id", "folder_path"], required: &[], max_files: 1 };

pub(crate) const UPLOAD: Endpoint = Endpoint::post("uploadFiles", "/upload", "Upload files");

pub(crate) const UPLOAD_SIGNED: Endpoint =
    Endpoint::post("uploadSigned", "/upload/signed", "Upload a file by a signed URL");

pub(crate) const UPLOAD_UNSIGNED: Endpoint =
    Endpoint::post("uploadUnsigned", "/upload/unsigned/{spaceHandle}/{configName}", "Upload a file without a key");

/// `POST /upload`.
pub(crate) async fn upload(
    ApiKeyUpload(grant): ApiKeyUpload,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<UploadedView>, Failure> {
    store(&uploads, grant, request, API_KEY_FORM).await
}

/// `POST /upload/signed`.
pub(crate) async fn upload_signed(
    SignedUrlUpload(grant): SignedUrlUpload,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<UploadedView>, Failure> {
    store(&uploads, grant, request, SIGNED_FORM).await
}

/// `POST /upload/unsigned/:spaceHandle/:configName`.
pub(crate) async fn upload_unsigned(
    UnsignedUpload(grant): UnsignedUpload,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<Created<UploadedView>, Failure> {
    store(&uploads, grant, request, UNSIGNED_FORM).await
}

async fn store(
    uploads: &Uploads,
    grant: UploadGrant,
    request: Request,
    shape: FormShape,
) -> Result<Created<UploadedView>, Failure> {
    let Form { fields, files, is_list, payload } = form::read(request, shape, uploads.edge.sources.now()).await?;
    let request = UploadRequest::read(grant, fields).await?;

    // Before the files are validated: a completed request is replayed although they would be refused by now.
    let reservation = match request.grant.begin(&payload).await? {
        Begun::Proceed(reservation) => reservation,
        Begun::Replay(replay) => return Ok(Created::Replayed(replay)),
    };
    let view = Box::pin(store_once(uploads, request, files, is_list, &reservation)).await;
    reservation.settle(view.map(Created::New)).await
}

async fn store_once(
    uploads: &Uploads,
    request: UploadRequest,
    files: Vec<ReceivedFile>,
    is_list: bool,
    reservation: &Reservation,
) -> Result<UploadedView, Failure> {
    let (upload, validated) = request.validate_files(files).await?;

    let target = upload.target().await?;
    let files = ingest::new_files(&validated, &mut reservation.ids(), &target, &uploads.edge.sources);
    let view = UploadedView::of(&files, &target, is_list, &uploads.cdn_url);

    let completion = reservation.complete(&view);
    let assets = upload.assets(uploads);
    in_time(assets.store(&files, upload.quota(), completion.as_ref()), "storing took too long").await?;
    Ok(view)
}
