//! A file of a space, shown with the folders around it.

use domain::{File, ServiceError};
use tenant::SpaceScope;
use web::FileView;

pub(crate) async fn shown(
    space: &SpaceScope,
    file: &File,
    cdn_url: &str,
) -> Result<FileView, ServiceError> {
    let folders = space.folder_chain(file.folder.as_ref()).await?;
    Ok(FileView::of(
        file,
        folders.as_ref(),
        space.record(),
        cdn_url,
    ))
}
