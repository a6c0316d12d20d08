//! `POST /folders`: create a folder.

use domain::{folders::FolderName, id::FolderId};
use http_api::{
    caller::{Authenticated, Can, ManageFolders, Reservation, ResourceId},
    describe::Endpoint,
    fields::{FieldReader, FolderReference, FromFields},
    request::IdempotentJson,
    response::{ApiError, Created},
};
use space_store::folders::{NewFolder, ResolvedFolder};

use crate::views::DetailedFolderView;

pub(crate) const CREATE: Endpoint = Endpoint::post("createFolder", "/folders", "Create a folder")
    .description(
        "Requires the role `admin`. The name is unique within the parent, ignoring case, and \
         folders are nested up to 20 deep. The folder inherits its access control and security \
         settings until `setFolderAccessControl` and `setFolderSecurity` override them.",
    );

pub(crate) struct CreateFolder {
    space_id: String,
    name: FolderName,
    parent_id: Option<FolderId>,
}

impl FromFields for CreateFolder {
    fn read(fields: &mut impl FieldReader) -> Option<CreateFolder> {
        let space_id = fields
            .required("space_id", ResourceId::parse)
            .map(|id| id.0);
        let name = fields.required("name", FolderName::parse);
        let parent_id = fields
            .optional("parent_id", FolderReference::parse)
            .and_then(|parent| parent.0);
        fields.describe("space_id", "Id of the space.");
        fields.describe(
            "parent_id",
            "Parent folder: an id, or `root`. Default: `root`.",
        );

        Some(CreateFolder {
            space_id: space_id?,
            name: name?,
            parent_id,
        })
    }
}

/// Fails with 422 if the parent does not exist or is too deep, or contains a folder with this name.
pub(crate) async fn create(
    auth: Authenticated<ManageFolders>,
    body: IdempotentJson<CreateFolder>,
) -> Result<Created<DetailedFolderView>, ApiError> {
    let authorize = async |request: &CreateFolder| {
        let can: Can<ManageFolders> = auth
            .authorize_reference("space_id", &request.space_id)
            .await?;
        Ok(can)
    };
    let create =
        async |can: Can<ManageFolders>, request: CreateFolder, reservation: &Reservation| {
            let view = |folder: &ResolvedFolder| DetailedFolderView::of(folder, can.space.record());
            let complete = |folder: &ResolvedFolder| reservation.complete(&view(folder));
            let id = FolderId::from_sequence(&mut reservation.ids());
            let new_folder = NewFolder {
                id,
                name: request.name,
                parent: request.parent_id,
            };
            let folder = can.space.folders().create(new_folder, complete).await?;

            Ok(view(&folder))
        };

    body.run_once_authorized(authorize, create).await
}
