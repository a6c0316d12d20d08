//! `PUT` and `DELETE /spaces/:id/security`: replace or reset the watermark of delivered images.

use domain::Security;
use web::{ApiError, Can, Data, Endpoint, ManageSpace, SecurityChange, ValidJson};

use crate::views::DetailedSpaceView;

/// Path of both endpoints.
const PATH: &str = "/spaces/{id}/security";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setSpaceSecurity",
    PATH,
    "Replace the security settings of a space",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetSpaceSecurity",
    PATH,
    "Reset the security settings of a space to the default",
);

pub(crate) async fn set(
    can: Can<ManageSpace>,
    ValidJson(SecurityChange(security)): ValidJson<SecurityChange>,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    replace(can, &security).await
}

pub(crate) async fn reset(can: Can<ManageSpace>) -> Result<Data<DetailedSpaceView>, ApiError> {
    replace(can, &Security::default()).await
}

async fn replace(
    mut can: Can<ManageSpace>,
    security: &Security,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    can.space
        .change(|space| space.security = security.clone())
        .await?;
    Ok(Data(DetailedSpaceView::from(can.space.record())))
}
