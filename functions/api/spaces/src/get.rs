//! `GET /spaces/:id`: show a space in full.

use web::{Can, Ok, ReadSpace};

use crate::views::SpaceView;

pub(crate) async fn get(can: Can<ReadSpace>) -> Ok<SpaceView> {
    Ok(SpaceView::from(can.space.record()))
}
