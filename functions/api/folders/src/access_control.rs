//! `PUT` and `DELETE /folders/:id/access-control`: set or reset the access control of the files in
//! a folder.

use domain::folders::Folder;
use http_api::{
    caller::{Can, ManageFolders},
    describe::Endpoint,
    fields::AccessControlChange,
    request::ValidJson,
    response::{ApiError, Data},
};
use space_store::folders::ResolvedFolder;

use crate::views::DetailedFolderView;

/// Path of both endpoints.
const PATH: &str = "/folders/{id}/access-control";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setFolderAccessControl",
    PATH,
    "Set the access control of a folder",
)
.description(
    "Applies from the next delivery request on to the files in the folder and its subfolders, \
     unless a nearer folder or the file has a setting; files of type `private` or `authenticated` \
     stay protected. Each of `requires_auth` and `public_read` sets the other to its complement; \
     if both are present, the stricter one applies.",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetFolderAccessControl",
    PATH,
    "Reset the access control of a folder to the inherited one",
)
.description(
    "The folder then inherits from the nearest parent with a setting, else from the space. \
     Settings of subfolders and files stay as they are. `access_control` in the response is the \
     result, with its `source`.",
);

pub(crate) async fn set(
    can: Can<ManageFolders, ResolvedFolder>,
    ValidJson(change): ValidJson<AccessControlChange>,
) -> Result<Data<DetailedFolderView>, ApiError> {
    let set = |folder: &mut Folder| {
        folder.access_control = change.access_control().or(folder.access_control);
    };
    let changed = can.space.folders().change(can.resource, set).await?;

    Ok(Data(DetailedFolderView::of(&changed, can.space.record())))
}

pub(crate) async fn reset(
    can: Can<ManageFolders, ResolvedFolder>,
) -> Result<Data<DetailedFolderView>, ApiError> {
    let reset = |folder: &mut Folder| folder.access_control = None;
    let changed = can.space.folders().change(can.resource, reset).await?;

    Ok(Data(DetailedFolderView::of(&changed, can.space.record())))
}
