//! `GET /spaces/:id`: get a space.

use web::{Can, Data, Endpoint, Failure, ReadSpace};

use crate::views::DetailedSpaceView;

pub(crate) const GET: Endpoint = Endpoint::get("getSpace", "/spaces/{id}", "Get a space");

pub(crate) async fn get(can: Can<ReadSpace>) -> Result<Data<DetailedSpaceView>, Failure> {
    Ok(Data(DetailedSpaceView::from(can.space.record())))
}
