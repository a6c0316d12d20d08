//! `PUT` and `DELETE /spaces/:id/security`: the watermark on every delivered image.

use domain::Security;
use web::{Can, Failure, ManageSpace, Ok, SecurityChange, Valid};

use crate::views::DetailedSpaceView;

pub(crate) async fn set_security(
    can: Can<ManageSpace>,
    Valid(SecurityChange(security)): Valid<SecurityChange>,
) -> Result<Ok<DetailedSpaceView>, Failure> {
    change(can, &security).await
}

pub(crate) async fn reset_security(can: Can<ManageSpace>) -> Result<Ok<DetailedSpaceView>, Failure> {
    change(can, &Security::default()).await
}

async fn change(mut can: Can<ManageSpace>, to: &Security) -> Result<Ok<DetailedSpaceView>, Failure> {
    can.space.change(|space| space.security = to.clone()).await?;
    Result::Ok(Ok(DetailedSpaceView::from(can.space.record())))
}
