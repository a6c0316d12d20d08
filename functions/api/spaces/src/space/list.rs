//! `GET /spaces`: list the spaces that the caller may see, newest first.

use web::{ApiError, Authenticated, Endpoint, Page, PageRequest};

use crate::views::SpaceView;

pub(crate) const LIST: Endpoint = Endpoint::get("listSpaces", "/spaces", "List spaces");

pub(crate) async fn list(
    by: Authenticated,
    request: PageRequest,
) -> Result<Page<SpaceView>, ApiError> {
    let page = by
        .tenants()
        .list_spaces(&by.caller, request.listing())
        .await?;
    Ok(request.page(page, |space| SpaceView::from(&space)))
}
