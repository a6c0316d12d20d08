//! The response of an upload.

use domain::UploadTarget;
use schemars::JsonSchema;
use serde::Serialize;
use tenant::NewFile;
use web::{AnonymousFileView, FileView};

/// The uploaded file, or the list of uploaded files if the form has a field `files`. Uploads without
/// an API key return the reduced view.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum UploadedView {
    One(Box<FileView>),
    List(Vec<FileView>),
    Anonymous(AnonymousFileView),
}

impl UploadedView {
    /// Creates the view of new files. `is_list` is whether the form has a file under `files`.
    pub(crate) fn of(
        files: &[NewFile],
        target: &UploadTarget<'_>,
        is_list: bool,
        cdn_url: &str,
    ) -> UploadedView {
        let view = |file: &NewFile| {
            FileView::of(&file.record, Some(&target.folders), target.space, cdn_url)
        };
        match files {
            [file] if target.uploaded_by.is_anonymous() => {
                UploadedView::Anonymous(AnonymousFileView::of(&file.record, target.space, cdn_url))
            }
            [file] if !is_list => UploadedView::One(Box::new(view(file))),
            files => UploadedView::List(files.iter().map(view).collect()),
        }
    }
}
