//! `PUT` and `DELETE /spaces/:id/access-control`: who may see the space's files, where no file or
//! folder says otherwise.

use domain::AccessControl;
use web::{AccessControlChange, ApiError, Can, Data, Endpoint, ManageSpace, ValidJson};

use crate::views::DetailedSpaceView;

/// Path of both endpoints.
const PATH: &str = "/spaces/{id}/access-control";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setSpaceAccessControl",
    PATH,
    "Set the access control of a space",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetSpaceAccessControl",
    PATH,
    "Reset the access control of a space",
);

pub(crate) async fn set(
    can: Can<ManageSpace>,
    ValidJson(set): ValidJson<AccessControlChange>,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    change(can, |before| set.access_control().unwrap_or(before)).await
}

pub(crate) async fn reset(can: Can<ManageSpace>) -> Result<Data<DetailedSpaceView>, ApiError> {
    change(can, |_| AccessControl::default()).await
}

async fn change(
    mut can: Can<ManageSpace>,
    to: impl Fn(AccessControl) -> AccessControl,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    can.space
        .change(|space| space.access_control = to(space.access_control))
        .await?;
    Ok(Data(DetailedSpaceView::from(can.space.record())))
}
