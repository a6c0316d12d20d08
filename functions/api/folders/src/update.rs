//! `PUT /folders/:id`: give a folder another name, or put it into another one or to the top. What is absent stays.

use domain::FolderName;
use tenant::{FolderMove, FolderWithChain};
use web::{Can, Change, Failure, Fields, ManageFolders, Ok, Request, Valid, folder_reference};

use crate::views::FolderView;

pub(crate) struct UpdateFolder(FolderMove);

impl Request for UpdateFolder {
    fn read(fields: &mut Fields) -> Option<UpdateFolder> {
        let name = fields.present("name", FolderName::parse);
        let parent = match fields.change("parent_id", folder_reference) {
            Change::Keep => None,
            Change::Clear => Some(None),
            Change::Set(parent) => Some(parent),
        };
        Some(UpdateFolder(FolderMove { name, parent }))
    }
}

pub(crate) async fn update(
    can: Can<ManageFolders, FolderWithChain>,
    Valid(UpdateFolder(to)): Valid<UpdateFolder>,
) -> Result<Ok<FolderView>, Failure> {
    let moved = can.space.move_folder(can.subject, &to).await?;
    Result::Ok(Ok(FolderView::of(&moved, can.space.record())))
}
