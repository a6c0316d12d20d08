//! `PUT` and `DELETE /spaces/:id/access-control`: set or reset the access control of files that
//! neither the file nor a folder overrides.

use domain::settings::AccessControl;
use http_api::{
    caller::{Can, ManageSpace},
    describe::Endpoint,
    fields::AccessControlChange,
    request::ValidJson,
    response::{ApiError, Data},
};

use crate::views::DetailedSpaceView;

/// Path of both endpoints.
const PATH: &str = "/spaces/{id}/access-control";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setSpaceAccessControl",
    PATH,
    "Set the access control of a space",
)
.description(
    "Applies from the next delivery request on to all files for which neither the file nor a \
     folder has a setting; files of type `private` or `authenticated` stay protected. Each of \
     `requires_auth` and `public_read` sets the other to its complement; if both are present, the \
     stricter one applies. Browsers may use a cached response for five more minutes.",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetSpaceAccessControl",
    PATH,
    "Reset the access control of a space to the default",
)
.description(
    "The default is public: `requires_auth` is false. Settings of folders and files, and the \
     protection of `private` and `authenticated` files, stay as they are.",
);

pub(crate) async fn set(
    can: Can<ManageSpace>,
    ValidJson(change): ValidJson<AccessControlChange>,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    apply(can, |current| change.access_control().unwrap_or(current)).await
}

pub(crate) async fn reset(can: Can<ManageSpace>) -> Result<Data<DetailedSpaceView>, ApiError> {
    apply(can, |_| AccessControl::default()).await
}

async fn apply(
    mut can: Can<ManageSpace>,
    change: impl Fn(AccessControl) -> AccessControl,
) -> Result<Data<DetailedSpaceView>, ApiError> {
    can.space
        .change(|space| space.access_control = change(space.access_control))
        .await?;
    Ok(Data(DetailedSpaceView::of(
        can.space.record(),
        can.space.role(),
    )))
}
