//! `PUT` and `DELETE /folders/:id/access-control`: who may see what is in the folder, where no file or folder in it says
//! otherwise.

use domain::Folder;
use tenant::{FolderSetting, FolderWithChain};
use web::{AccessControlChange, Can, Failure, ManageFolders, Ok, Valid};

use crate::views::FolderView;

pub(crate) async fn set(
    can: Can<ManageFolders, FolderWithChain>,
    Valid(set): Valid<AccessControlChange>,
) -> Result<Ok<FolderView>, Failure> {
    let change = |folder: &Folder| FolderSetting::AccessControl(set.access_control().or(folder.access_control));
    let changed = can.space.set_folder(can.subject, change).await?;
    Result::Ok(Ok(FolderView::of(&changed, can.space.record())))
}

pub(crate) async fn reset(can: Can<ManageFolders, FolderWithChain>) -> Result<Ok<FolderView>, Failure> {
    let changed = can.space.set_folder(can.subject, |_| FolderSetting::AccessControl(None)).await?;
    Result::Ok(Ok(FolderView::of(&changed, can.space.record())))
}
