//! Views of files in responses.

use domain::{File, ServiceError};
use http_api::FileView;
use space_store::SpaceScope;

/// Reads the folders of a file and creates its view.
pub(crate) async fn file_view(
    space: &SpaceScope,
    file: &File,
    cdn_url: &str,
) -> Result<FileView, ServiceError> {
    let folders = space.folders().chain(file.folder.as_ref()).await?;
    Ok(FileView::of(
        file,
        folders.as_ref(),
        space.record(),
        cdn_url,
    ))
}
