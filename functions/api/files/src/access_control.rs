//! `PUT` and `DELETE /files/:id/access-control`: who may see the file, whatever its folders and its
//! space say.

use axum::extract::State;
use domain::{AccessControl, File};
use web::{
    AccessControlChange, ApiError, Can, Data, Endpoint, FileView, ManageFileAccess, ValidJson,
};

use crate::{Files, shown::shown};

/// Path of both endpoints.
const PATH: &str = "/files/{id}/access-control";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setFileAccessControl",
    PATH,
    "Set the access control of a file",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetFileAccessControl",
    PATH,
    "Let a file inherit its access control",
);

pub(crate) async fn set(
    can: Can<ManageFileAccess, File>,
    State(files): State<Files>,
    ValidJson(set): ValidJson<AccessControlChange>,
) -> Result<Data<FileView>, ApiError> {
    change(can, &files, |before| set.access_control().or(before)).await
}

pub(crate) async fn reset(
    can: Can<ManageFileAccess, File>,
    State(files): State<Files>,
) -> Result<Data<FileView>, ApiError> {
    change(can, &files, |_| None).await
}

async fn change(
    can: Can<ManageFileAccess, File>,
    files: &Files,
    to: impl Fn(Option<AccessControl>) -> Option<AccessControl>,
) -> Result<Data<FileView>, ApiError> {
    let set = |file: &mut File| {
        file.access_control = to(file.access_control);
        Ok(())
    };
    let changed = can.space.change_file(can.resource, set).await?;
    Ok(Data(shown(&can.space, &changed, &files.cdn_url).await?))
}
