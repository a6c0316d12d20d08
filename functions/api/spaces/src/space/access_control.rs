//! `PUT` and `DELETE /spaces/:id/access-control`: who may see the space's files, where no file or folder says otherwise.

use domain::AccessControl;
use web::{AccessControlChange, Can, Failure, ManageSpace, Ok, Valid};

use crate::views::DetailedSpaceView;

pub(crate) async fn set_access_control(
    can: Can<ManageSpace>,
    Valid(set): Valid<AccessControlChange>,
) -> Result<Ok<DetailedSpaceView>, Failure> {
    change(can, |before| set.access_control().unwrap_or(before)).await
}

pub(crate) async fn reset_access_control(can: Can<ManageSpace>) -> Result<Ok<DetailedSpaceView>, Failure> {
    change(can, |_| AccessControl::default()).await
}

async fn change(
    mut can: Can<ManageSpace>,
    to: impl Fn(AccessControl) -> AccessControl,
) -> Result<Ok<DetailedSpaceView>, Failure> {
    can.space.change(|space| space.access_control = to(space.access_control)).await?;
    Result::Ok(Ok(DetailedSpaceView::from(can.space.record())))
}
