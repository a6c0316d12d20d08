//! `PUT` and `DELETE /folders/:id/security`: the watermark on every delivered image in the folder, in place of the space's.

use tenant::{FolderSetting, FolderWithChain};
use web::{Can, Failure, ManageFolders, Ok, SecurityChange, Valid};

use crate::views::FolderView;

pub(crate) async fn set(
    can: Can<ManageFolders, FolderWithChain>,
    Valid(SecurityChange(security)): Valid<SecurityChange>,
) -> Result<Ok<FolderView>, Failure> {
    change(can, &FolderSetting::Security(Some(security))).await
}

pub(crate) async fn reset(can: Can<ManageFolders, FolderWithChain>) -> Result<Ok<FolderView>, Failure> {
    change(can, &FolderSetting::Security(None)).await
}

async fn change(can: Can<ManageFolders, FolderWithChain>, to: &FolderSetting) -> Result<Ok<FolderView>, Failure> {
    let changed = can.space.set_folder(can.subject, |_| to.clone()).await?;
    Result::Ok(Ok(FolderView::of(&changed, can.space.record())))
}
