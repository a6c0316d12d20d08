//! `PUT` and `DELETE /files/:id/access-control`: who may see the file, whatever its folders and its space say.

use axum::extract::State;
use domain::{AccessControl, File};
use web::{AccessControlChange, Can, Failure, FileView, ManageFileAccess, Ok, Valid};

use crate::{Files, shown::shown};

pub(crate) async fn set(
    can: Can<ManageFileAccess, File>,
    State(files): State<Files>,
    Valid(set): Valid<AccessControlChange>,
) -> Result<Ok<FileView>, Failure> {
    change(can, &files, |before| set.access_control().or(before)).await
}

pub(crate) async fn reset(
    can: Can<ManageFileAccess, File>,
    State(files): State<Files>,
) -> Result<Ok<FileView>, Failure> {
    change(can, &files, |_| None).await
}

async fn change(
    can: Can<ManageFileAccess, File>,
    files: &Files,
    to: impl Fn(Option<AccessControl>) -> Option<AccessControl>,
) -> Result<Ok<FileView>, Failure> {
    let set = |file: &mut File| {
        file.access_control = to(file.access_control);
        Result::Ok(())
    };
    let changed = can.space.change_file(can.subject, set).await?;
    Result::Ok(Ok(shown(&can.space, &changed, &files.cdn_url).await?))
}
