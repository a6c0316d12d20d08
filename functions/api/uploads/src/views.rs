//! The responses of uploads and confirmations.

use domain::{errors::ServiceError, files::UploadTarget};
use http_api::response::{AnonymousFileView, FileView};
use schemars::JsonSchema;
use serde::Serialize;
use space_store::uploads::NewFile;

/// A view of the files of one form.
pub(crate) trait UploadView: Serialize + JsonSchema + Sized + Send {
    /// Creates the view of new files. `is_list` is whether the form has a file under `files`.
    fn of(
        files: &[NewFile],
        target: &UploadTarget<'_>,
        is_list: bool,
        cdn_url: &str,
    ) -> Result<Self, ServiceError>;
}

/// The uploaded file, or the list of uploaded files if the form has a field `files`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "UploadedFiles")]
pub(crate) enum UploadedView {
    One(Box<FileView>),
    List(Vec<FileView>),
}

/// The confirmed file. A confirmation without an API key returns the reduced view.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ConfirmedFile")]
pub(crate) enum ConfirmedView {
    WithKey(Box<FileView>),
    WithToken(AnonymousFileView),
}

impl UploadView for UploadedView {
    fn of(
        files: &[NewFile],
        target: &UploadTarget<'_>,
        is_list: bool,
        cdn_url: &str,
    ) -> Result<UploadedView, ServiceError> {
        let view = |file: &NewFile| {
            FileView::of(&file.record, Some(&target.folders), target.space, cdn_url)
        };
        Ok(match files {
            [file] if !is_list => UploadedView::One(Box::new(view(file))),
            files => UploadedView::List(files.iter().map(view).collect()),
        })
    }
}

/// The view of the one file of an upload without an API key.
impl UploadView for AnonymousFileView {
    fn of(
        files: &[NewFile],
        target: &UploadTarget<'_>,
        _: bool,
        cdn_url: &str,
    ) -> Result<AnonymousFileView, ServiceError> {
        let [file] = files else {
            return Err(ServiceError::internal(
                "an upload without an API key has several files",
            ));
        };
        Ok(AnonymousFileView::of(&file.record, target.space, cdn_url))
    }
}
