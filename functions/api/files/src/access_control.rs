//! `PUT` and `DELETE /files/:id/access-control`: set or reset the access control of a file, which
//! overrides that of its folders and its space.

use axum::extract::State;
use domain::{files::File, settings::AccessControl};
use http_api::{
    caller::{Can, ManageFileAccess},
    describe::Endpoint,
    fields::AccessControlChange,
    request::ValidJson,
    response::{ApiError, Data, FileView},
};

use crate::{FilesState, TRASHED, view::file_view};

/// Path of both endpoints.
const PATH: &str = "/files/{id}/access-control";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setFileAccessControl",
    PATH,
    "Set the access control of a file",
)
.description(
    "Overrides the settings of the folders and the space from the next delivery request on; \
     requires the role `admin`. The type of the file applies too, and the stricter one decides: \
     to open a `private` or `authenticated` file, change its `type` with `updateFile`.",
)
.errors(&[TRASHED]);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetFileAccessControl",
    PATH,
    "Reset the access control of a file to the inherited one",
)
.description(
    "The file then has the setting of the nearest folder that has one, else that of the space; \
     its type applies too. `access_control` in the response is the result, with its `source`.",
)
.errors(&[TRASHED]);

pub(crate) async fn set(
    can: Can<ManageFileAccess, File>,
    State(files): State<FilesState>,
    ValidJson(change): ValidJson<AccessControlChange>,
) -> Result<Data<FileView>, ApiError> {
    apply(can, &files, |current| change.access_control().or(current)).await
}

pub(crate) async fn reset(
    can: Can<ManageFileAccess, File>,
    State(files): State<FilesState>,
) -> Result<Data<FileView>, ApiError> {
    apply(can, &files, |_| None).await
}

async fn apply(
    can: Can<ManageFileAccess, File>,
    files: &FilesState,
    change: impl Fn(Option<AccessControl>) -> Option<AccessControl>,
) -> Result<Data<FileView>, ApiError> {
    let set = |file: &mut File| {
        file.access_control = change(file.access_control);
        Ok(())
    };
    let changed = can.space.files().change(can.resource, set).await?;

    Ok(Data(file_view(&can.space, &changed, &files.cdn_url).await?))
}
