//! `GET /spaces`: list the spaces in which the caller has a role, newest first.

use http_api::{
    caller::Authenticated,
    describe::Endpoint,
    request::{PageQuery, PageResponse},
    response::ApiError,
};

use crate::views::SpaceView;

pub(crate) const LIST: Endpoint =
    Endpoint::get("listSpaces", "/spaces", "List the spaces of the caller").description(
        "The spaces in which the caller has a role, from newest to oldest; `next_cursor` \
         continues the list. A space key gets its one space. `getSpace` also returns the access \
         control and the security settings.",
    );

pub(crate) async fn list(
    auth: Authenticated,
    request: PageQuery,
) -> Result<PageResponse<SpaceView>, ApiError> {
    let page = auth
        .tenants()
        .spaces()
        .list(&auth.caller, request.page_request())
        .await?;
    Ok(request.response(page, |found| SpaceView::of(&found.space, found.role)))
}
