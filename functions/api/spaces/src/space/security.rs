//! `PUT` and `DELETE /spaces/:id/security`: replace or reset the security settings of a space.

use axum::extract::State;
use domain::settings::Security;
use http_api::{
    caller::{Can, ManageSpace},
    describe::Endpoint,
    fields::SecurityChange,
    request::ValidJson,
    response::{ApiError, Data},
};
use renditions::Watermarks;

use crate::views::DetailedSpaceView;

/// Path of both endpoints.
const PATH: &str = "/spaces/{id}/security";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setSpaceSecurity",
    PATH,
    "Replace the security settings of a space",
)
.description(
    "Settings that are absent get their defaults. The image of the watermark (PNG, JPEG, WebP or \
     GIF, at most 5 MiB and 4 million pixels) is fetched from `url` in this request, or copied from \
     `file_id` if that differs from the current one. Every image without a setting of a folder is \
     delivered with the new watermark at once, with a new `ETag`.",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetSpaceSecurity",
    PATH,
    "Reset the security settings of a space to the default",
)
.description(
    "Disables the watermark of the space, and sets `transformations` to `any`. Folders with \
     settings keep them.",
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
