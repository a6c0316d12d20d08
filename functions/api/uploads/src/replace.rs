//! `PUT /files/:id/content`: replace the bytes of a file.

use axum::extract::{FromRequest, Request, State};
use domain::{errors::ServiceError, files::File, keys::Principal};
use http_api::{
    caller::{Can, ManageFiles},
    describe::{DescribeInput, Endpoint, OperationBuilder},
    response::{ApiError, Data, FileView},
};
use intake::{ReceivedFile, UploadContext, ValidationOutcome};
use space_store::{spaces::SpaceScope, uploads::require_replaceable};

use crate::{
    STORING_TOOK_TOO_LONG, UploadsState,
    forms::{FormShape, UnreadForm, describe_files},
    within_deadline,
};

pub(crate) const REPLACE: Endpoint = Endpoint::put(
    "replaceFileContent",
    "/files/{id}/content",
    "Replace the bytes of a file",
)
.description(
    "Send a form with the new bytes as `file`, of at most 50 MB (about 4.4 MB behind AWS Lambda); \
     for larger files, use `presignUpload` with `replaces`. The file keeps its id, URL, folder, tags \
     and access control, and gets the size, type and checksum of the new bytes; metadata and \
     thumbnails follow. The bytes must comply with the upload config of the file, and be of a type \
     with the same extension. Sends `file.replaced` if the upload config has this event.",
)
.errors(&[(409, "The file is pending, or in the trash.")]);

/// The form with the new bytes.
pub(crate) struct ContentForm(UnreadForm);

impl FromRequest<UploadsState> for ContentForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &UploadsState) -> Result<ContentForm, ApiError> {
        let shape = FormShape {
            text_fields: &[],
            max_files: 1,
        };
        Ok(ContentForm(UnreadForm::of(request, shape).await?))
    }
}

impl DescribeInput for ContentForm {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.form_body(|fields| describe_files(fields, 1));
        operation.error(403);
    }
}

/// Fails with 403 if the caller may not manage the file or the space is disabled, and with 409 if
/// the file is pending.
pub(crate) async fn replace(
    can: Can<ManageFiles, File>,
    State(uploads): State<UploadsState>,
    ContentForm(form): ContentForm,
) -> Result<Data<FileView>, ApiError> {
    let space = can.space;
    let file = can.resource;
    space.files().require_manager(&file, &can.caller)?;
    space.require_uploads()?;
    require_replaceable(&file, "id")?;

    let mut in_flight = form.begin(&uploads.forms)?;
    let form = form.read(&mut in_flight, uploads.api.env.now()).await?;
    let received = form.fields.finish(Some(form.files.received))?;

    let content = Content {
        uploads: &uploads,
        space: &space,
        file,
        received,
    };
    let storing = content.store(can.caller.principal());
    let replaced = within_deadline(storing, STORING_TOOK_TOO_LONG).await?;

    let folders = space.folders().chain_of_file(&replaced).await?;
    let view = FileView::of(
        &replaced,
        folders.as_ref(),
        space.record(),
        &uploads.cdn_url,
    );
    Ok(Data(view))
}

/// The form of an authorized request, and the file whose bytes it replaces.
struct Content<'a> {
    uploads: &'a UploadsState,
    space: &'a SpaceScope,
    file: File,
    received: Vec<ReceivedFile>,
}

impl Content<'_> {
    /// Validates and transforms the bytes by the current rules of the file's upload config, and
    /// gives them to the file.
    async fn store(self, by: Principal) -> Result<File, ServiceError> {
        let Content {
            uploads,
            space,
            file,
            received,
        } = self;
        let rules = space.upload_configs().rules_of(&file, by).await?;
        let context = UploadContext {
            rules: &rules,
            uploaded_by: by,
            expected_type: None,
            extension: Some(&file.extension),
            decoders: uploads.decoders,
        };
        let validated = match intake::validate(received, context).await? {
            ValidationOutcome::Valid(validated) => validated,
            ValidationOutcome::Invalid(field_errors) => return Err(field_errors.into()),
        };
        let [valid] = validated.as_slice() else {
            return Err(ServiceError::internal("the form has not one file"));
        };

        let new = valid.to_new_content(&uploads.api.env);
        space
            .uploads(&uploads.storage)
            .replace(file, new, &rules)
            .await
    }
}
