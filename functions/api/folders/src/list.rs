//! `GET /folders`: list the folders of a space, newest first: all of them, or only those directly
//! in one folder or at the root.

use http_api::{
    caller::{Authenticated, Listed, ReadFolders, SpaceQuery},
    describe::Endpoint,
    fields::{FieldReader, FolderReference, FromFields},
    request::{ListQuery, PageResponse},
    response::ApiError,
};

use crate::views::FolderView;

pub(crate) const LIST: Endpoint = Endpoint::get(
    "listFolders",
    "/folders",
    "List the folders of a space",
)
.description(
    "From newest to oldest; `next_cursor` continues the list. Without `parent_id` it contains \
     folders of all levels, with it only those directly in this folder; `root` selects the top \
     level. `listFiles` with `folder_id` lists the files of a folder.",
)
.errors(&[(404, "The space does not exist.")]);

/// Query parameter of the parent folder.
const PARENT_ID: &str = "parent_id";

pub(crate) struct FolderQuery {
    space: SpaceQuery,
    parent: Option<FolderReference>,
}

impl FromFields for FolderQuery {
    fn read(fields: &mut impl FieldReader) -> Option<FolderQuery> {
        let space = SpaceQuery::read(fields);
        let parent = fields.optional(PARENT_ID, FolderReference::parse);
        fields.describe(
            PARENT_ID,
            "Only folders directly in this folder: an id, or `root`. Default: all folders.",
        );

        Some(FolderQuery {
            space: space?,
            parent,
        })
    }
}

pub(crate) async fn list(
    auth: Authenticated<ReadFolders>,
    ListQuery { page, filter, .. }: ListQuery<FolderQuery>,
) -> Result<PageResponse<FolderView>, ApiError> {
    let parent = filter.parent.map(|parent| parent.0);
    let Listed { can, found } = auth
        .list(&filter.space, async |lists| {
            let folders = lists.folders(parent, page.page_request());
            lists.in_folder(PARENT_ID, parent.flatten(), folders).await
        })
        .await?;

    let folders = can.space.folders();
    folders
        .require_not_deleted(PARENT_ID, parent.flatten())
        .await?;
    let found = folders.resolve_page(found).await?;
    Ok(page.response(found, |folder| FolderView::of(&folder, can.space.record())))
}
