//! `PUT` and `DELETE /folders/:id/security`: replace or reset the watermark of images in a folder.

use tenant::{FolderSetting, ResolvedFolder};
use web::{ApiError, Can, Data, Endpoint, ManageFolders, SecurityChange, ValidJson};

use crate::views::FolderView;

/// Path of both endpoints.
const PATH: &str = "/folders/{id}/security";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setFolderSecurity",
    PATH,
    "Replace the security settings of a folder",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetFolderSecurity",
    PATH,
    "Reset the security settings of a folder to the inherited ones",
);

pub(crate) async fn set(
    can: Can<ManageFolders, ResolvedFolder>,
    ValidJson(SecurityChange(security)): ValidJson<SecurityChange>,
) -> Result<Data<FolderView>, ApiError> {
    change(can, &FolderSetting::Security(Some(security))).await
}

pub(crate) async fn reset(
    can: Can<ManageFolders, ResolvedFolder>,
) -> Result<Data<FolderView>, ApiError> {
    change(can, &FolderSetting::Security(None)).await
}

async fn change(
    can: Can<ManageFolders, ResolvedFolder>,
    setting: &FolderSetting,
) -> Result<Data<FolderView>, ApiError> {
    let changed = can
        .space
        .change_folder_setting(can.resource, |_| setting.clone())
        .await?;

    Ok(Data(FolderView::of(&changed, can.space.record())))
}
