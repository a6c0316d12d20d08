//! `PUT /folders/:id`: rename or move a folder.

use domain::folders::FolderName;
use http_api::{
    caller::{Can, ManageFolders},
    describe::Endpoint,
    fields::{FieldReader, FolderReference, FromFields, Patch},
    request::ValidJson,
    response::{ApiError, Data},
};
use space_store::folders::{FolderMove, ResolvedFolder};

use crate::views::DetailedFolderView;

pub(crate) const UPDATE: Endpoint =
    Endpoint::put("updateFolder", "/folders/{id}", "Rename or move a folder").description(
        "Absent fields stay unchanged. The `url` and `storage_path` of files do not change, but \
         after a move they inherit the access control and security settings of the new parents. A \
         folder cannot be moved into itself, or deeper than 20 levels.",
    );

pub(crate) struct UpdateFolder(FolderMove);

impl FromFields for UpdateFolder {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateFolder> {
        let name = fields.non_null("name", FolderName::parse);
        let parent = match fields.patch("parent_id", FolderReference::parse) {
            Patch::Keep => None,
            Patch::Clear => Some(None),
            Patch::Set(parent) => Some(parent.0),
        };
        fields.describe(
            "parent_id",
            "New parent folder: an id, or `root`. Null is the same as `root`.",
        );

        Some(UpdateFolder(FolderMove { name, parent }))
    }
}

/// Changes the fields that are present. Fails with 422 if the new parent does not exist, is too
/// deep or inside the folder, or contains a folder with this name.
pub(crate) async fn update(
    can: Can<ManageFolders, ResolvedFolder>,
    ValidJson(UpdateFolder(change)): ValidJson<UpdateFolder>,
) -> Result<Data<DetailedFolderView>, ApiError> {
    let moved = can.space.folders().relocate(can.resource, &change).await?;
    Ok(Data(DetailedFolderView::of(&moved, can.space.record())))
}
