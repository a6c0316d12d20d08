//! `GET /spaces/:id`: get a space.

use http_api::{
    caller::{Can, ReadSpace},
    describe::Endpoint,
    response::{ApiError, Data},
};

use crate::views::DetailedSpaceView;

pub(crate) const GET: Endpoint = Endpoint::get("getSpace", "/spaces/{id}", "Get a space")
    .description(
        "The response contains the access control and the security settings that folders and \
         files inherit. `webhook_url` is null for the roles `viewer` and `user`, because it may \
         contain a secret.",
    );

pub(crate) async fn get(can: Can<ReadSpace>) -> Result<Data<DetailedSpaceView>, ApiError> {
    Ok(Data(DetailedSpaceView::of(
        can.space.record(),
        can.space.role(),
    )))
}
