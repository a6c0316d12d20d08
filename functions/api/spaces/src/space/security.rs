//! `PUT` and `DELETE /spaces/:id/security`: replace or reset the security settings of a space.

use axum::extract::State;
use domain::Security;
use http_api::{ApiError, Can, Data, Endpoint, ManageSpace, SecurityChange, ValidJson};
use renditions::Watermarks;

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
    State(watermarks): State<Watermarks>,
    ValidJson(SecurityChange(security)): ValidJson<SecurityChange>,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    replace(can, &watermarks, security).await
}

pub(crate) async fn reset(
    can: Can<ManageSpace>,
    State(watermarks): State<Watermarks>,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    replace(can, &watermarks, Security::default()).await
}

async fn replace(
    mut can: Can<ManageSpace>,
    watermarks: &Watermarks,
    security: Security,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    watermarks.replace(&mut can.space, security).await?;
    Ok(Data(DetailedSpaceView::of(
        can.space.record(),
        can.space.role(),
    )))
}
