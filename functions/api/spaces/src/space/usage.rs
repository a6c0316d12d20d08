//! `GET /spaces/:id/usage`: get the number and size of the files of a space.

use domain::files::Usage;
use http_api::{
    caller::{Can, ReadSpace},
    describe::Endpoint,
    response::{ApiError, Data},
};

pub(crate) const GET: Endpoint = Endpoint::get(
    "getSpaceUsage",
    "/spaces/{id}/usage",
    "Get the number and size of the files of a space",
)
.description(
    "Counts the active files and the bytes of their originals, exactly: an upload is counted when its \
     file becomes active, and a deletion at once. Files in the trash are counted apart, in `trashed`. Pending files, \
     stored renditions and bytes that wait for their removal are not counted.",
);

pub(crate) async fn get(can: Can<ReadSpace>) -> Result<Data<Usage>, ApiError> {
    Ok(Data(can.space.usage().await?))
}
