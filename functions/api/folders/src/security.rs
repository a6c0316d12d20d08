//! `PUT` and `DELETE /folders/:id/security`: replace or reset the security settings of a folder.

use axum::extract::State;
use domain::FolderSecurity;
use http_api::{ApiError, Can, Data, Endpoint, FolderSecurityChange, ManageFolders, ValidJson};
use renditions::Watermarks;
use space_store::ResolvedFolder;

use crate::views::FolderView;

/// Path of both endpoints.
const PATH: &str = "/folders/{id}/security";

pub(crate) const SET: Endpoint = Endpoint::put(
    "setFolderSecurity",
    PATH,
    "Replace the security settings of a folder",
);

pub(crate) const RESET: Endpoint = Endpoint::delete(
    "resetFolderSecurity",
    PATH,
    "Reset the security settings of a folder to the inherited ones",
);

pub(crate) async fn set(
    can: Can<ManageFolders, ResolvedFolder>,
    State(watermarks): State<Watermarks>,
    ValidJson(FolderSecurityChange(security)): ValidJson<FolderSecurityChange>,
) -> Result<Data<FolderView>, ApiError> {
    replace(can, &watermarks, security).await
}

pub(crate) async fn reset(
    can: Can<ManageFolders, ResolvedFolder>,
    State(watermarks): State<Watermarks>,
) -> Result<Data<FolderView>, ApiError> {
    replace(can, &watermarks, FolderSecurity::default()).await
}

async fn replace(
    can: Can<ManageFolders, ResolvedFolder>,
    watermarks: &Watermarks,
    security: FolderSecurity,
) -> Result<Data<FolderView>, ApiError> {
    let changed = watermarks
        .replace_of_folder(&can.space, can.resource, security)
        .await?;

    Ok(Data(FolderView::of(&changed, can.space.record())))
}
