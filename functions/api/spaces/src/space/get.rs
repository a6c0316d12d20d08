//! `GET /spaces/:id`: show a space in full.

use web::{Can, Ok, ReadSpace};

use crate::views::DetailedSpaceView;

pub(crate) async fn get(can: Can<ReadSpace>) -> Ok<DetailedSpaceView> {
    Ok(DetailedSpaceView::from(can.space.record()))
}
