//! `PUT` and `DELETE /folders/:id/access-control`: set or reset the access control of the files in a
//! folder.

use domain::Folder;
use http_api::{AccessControlChange, ApiError, Can, Data, Endpoint, ManageFolders, ValidJson};
use space_store::{FolderSetting, ResolvedFolder};

use crate::views::FolderView;

/// Path of both endpoints.
const PATH: &str = "/folders/{id}/access-control";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setFolderAccessControl",
    PATH,
    "Set the access control of a folder",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetFolderAccessControl",
    PATH,
    "Reset the access control of a folder to the inherited one",
);

pub(crate) async fn set(
    can: Can<ManageFolders, ResolvedFolder>,
    ValidJson(change): ValidJson<AccessControlChange>,
) -> Result<Data<FolderView>, ApiError> {
    let setting = |folder: &Folder| {
        FolderSetting::AccessControl(change.access_control().or(folder.access_control))
    };
    let changed = can
        .space
        .change_folder_setting(can.resource, setting)
        .await?;

    Ok(Data(FolderView::of(&changed, can.space.record())))
}

pub(crate) async fn reset(
    can: Can<ManageFolders, ResolvedFolder>,
) -> Result<Data<FolderView>, ApiError> {
    let changed = can
        .space
        .change_folder_setting(can.resource, |_| FolderSetting::AccessControl(None))
        .await?;

    Ok(Data(FolderView::of(&changed, can.space.record())))
}
