//! `GET /spaces/:id/api-keys`: list a space's keys, newest first, revoked ones included.

use domain::{Fault, KeyId};
use tenant::Listing;
use web::{Can, Failure, ManageKeys, Page, PageRequest, Position};

use crate::views::KeyView;

pub(crate) async fn list_keys(can: Can<ManageKeys>, request: PageRequest) -> Result<Page<KeyView>, Failure> {
    let listing = match request.position() {
        Position::Newest => Listing::Newest,
        Position::After(id) => Listing::After(key_id(id)?),
        Position::Before(id) => Listing::Before(key_id(id)?),
    };
    let page = can.space.list_keys(listing, request.limit()).await?;
    Ok(request.page(page.keys, page.more, |key| key.id.0.to_string(), KeyView::from))
}

fn key_id(text: &str) -> Result<KeyId, Fault> {
    text.parse().map(KeyId).map_err(|_| PageRequest::bad_cursor())
}
