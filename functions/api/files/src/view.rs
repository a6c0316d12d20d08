//! Views of files in responses.

use domain::{errors::ServiceError, files::File};
use http_api::response::{FileFields, FileView, SelectedFileView};
use space_store::spaces::SpaceScope;

/// Reads the folders of a file and creates its view.
pub(crate) async fn file_view(
    space: &SpaceScope,
    file: &File,
    cdn_url: &str,
) -> Result<FileView, ServiceError> {
    let folders = space.folders().chain_of_file(file).await?;
    Ok(FileView::of(
        file,
        folders.as_ref(),
        space.record(),
        cdn_url,
    ))
}

/// Creates the view of some fields of a file. Reads its folders if one of the fields depends on
/// them.
pub(crate) async fn selected_file_view(
    space: &SpaceScope,
    file: &File,
    cdn_url: &str,
    fields: FileFields,
) -> Result<SelectedFileView, ServiceError> {
    let view = if fields.depend_on_folders() {
        file_view(space, file, cdn_url).await?
    } else {
        FileView::of(file, None, space.record(), cdn_url)
    };
    Ok(view.select(fields))
}
