//! `POST /folders`: make a folder, in another one or at the top.

use domain::{FolderId, FolderName};
use tenant::FolderWithChain;
use web::{Authenticated, Can, Created, Failure, Fields, ManageFolders, Once, Request, folder_reference};

use crate::views::FolderView;

pub(crate) struct CreateFolder {
    space_id: String,
    name: FolderName,
    parent_id: Option<FolderId>,
}

impl Request for CreateFolder {
    fn read(fields: &mut Fields) -> Option<CreateFolder> {
        let space_id = fields.required("space_id", |id| Ok(id.to_owned()));
        let name = fields.required("name", FolderName::parse);
        let parent_id = fields.optional("parent_id", folder_reference).flatten();
        Some(CreateFolder { space_id: space_id?, name: name?, parent_id })
    }
}

pub(crate) async fn create(
    by: Authenticated,
    Once { request: CreateFolder { space_id, name, parent_id }, claim }: Once<CreateFolder>,
) -> Result<Created<FolderView>, Failure> {
    let can: Can<ManageFolders> = by.can_refer("space_id", &space_id).await?;
    let view = |made: &FolderWithChain| FolderView::of(made, can.space.record());
    let complete = |made: &FolderWithChain| claim.complete(&view(made));
    let id = FolderId::chosen(&mut claim.ids());
    let made = can.space.create_folder(id, name, parent_id, complete).await?;
    Ok(Created(view(&made)))
}
