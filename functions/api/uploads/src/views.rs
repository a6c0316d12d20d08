//! Uploaded files as their uploader sees them.

use domain::UploadTarget;
use schemars::JsonSchema;
use serde::Serialize;
use tenant::NewFile;
use web::{AnonymousFileView, FileView};

/// One file, a list of files, or the reduced view of an anonymous file.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum UploadedView {
    One(Box<FileView>),
    List(Vec<FileView>),
    Anonymous(AnonymousFileView),
}

impl UploadedView {
    /// Returns the view of new files: a list if the form had any under `files`.
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
