//! `PUT` and `DELETE /folders/:id/security`: replace or reset the security settings of a folder.

use axum::extract::State;
use domain::settings::FolderSecurity;
use http_api::{
    caller::{Can, ManageFolders},
    describe::Endpoint,
    fields::FolderSecurityChange,
    request::ValidJson,
    response::{ApiError, Data},
};
use renditions::Watermarks;
use space_store::folders::ResolvedFolder;

use crate::views::DetailedFolderView;

/// Path of both endpoints.
const PATH: &str = "/folders/{id}/security";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setFolderSecurity",
    PATH,
    "Replace the security settings of a folder",
)
.description(
    "A setting that is absent or null is inherited, and a disabled watermark is a setting, too: \
     it removes the watermark of the parents or the space. The image of the watermark (at most 5 \
     MiB and 4 million pixels) is fetched from `url` in this request, or copied from `file_id` if that \
     differs from the current one. The change applies at once to the images in the folder, and in subfolders without \
     such a setting.",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetFolderSecurity",
    PATH,
    "Reset the security settings of a folder to the inherited ones",
)
.description(
    "The folder then inherits `watermark` and `transformations`, each from the nearest parent \
     that sets it, else from the space. Settings of subfolders stay as they are.",
);

pub(crate) async fn set(
    can: Can<ManageFolders, ResolvedFolder>,
    State(watermarks): State<Watermarks>,
    ValidJson(FolderSecurityChange(security)): ValidJson<FolderSecurityChange>,
) -> Result<Data<DetailedFolderView>, ApiError> {
    replace(can, &watermarks, security).await
}

pub(crate) async fn reset(
    can: Can<ManageFolders, ResolvedFolder>,
    State(watermarks): State<Watermarks>,
) -> Result<Data<DetailedFolderView>, ApiError> {
    replace(can, &watermarks, FolderSecurity::default()).await
}

async fn replace(
    can: Can<ManageFolders, ResolvedFolder>,
    watermarks: &Watermarks,
    security: FolderSecurity,
) -> Result<Data<DetailedFolderView>, ApiError> {
    let changed = watermarks
        .replace_of_folder(&can.space, can.resource, security)
        .await?;

    Ok(Data(DetailedFolderView::of(&changed, can.space.record())))
}
