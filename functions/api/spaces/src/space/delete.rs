//! `DELETE /spaces?id=`: delete an empty space, or with `force=true` a space and its files.

use axum::extract::State;
use http_api::{
    caller::{Authenticated, Can, DeleteSpace, ResourceId},
    describe::Endpoint,
    fields::{FieldReader, Force, FromFields},
    request::ValidQuery,
    response::{ApiError, Deletion},
};
use space_store::jobs::{PurgeJob, Queue};

pub(crate) const DELETE: Endpoint = Endpoint::delete("deleteSpace", "/spaces", "Delete a space")
    .description(
        "The space disappears at once: its keys are rejected with 401, its name is free again, \
         and its files are not delivered. With `force=true` the response is a 202, and the files \
         are deleted in the background without `file.deleted` webhooks. A deletion cannot be \
         undone, and after a 503 it may have taken effect all the same.",
    )
    .errors(&[
        (404, "The space does not exist."),
        (
            409,
            "The space contains files or folders and `force` is not true, or its deletion has already started.",
        ),
    ]);

pub(crate) struct DeleteSpaceQuery {
    id: String,
    force: Force,
}

impl FromFields for DeleteSpaceQuery {
    fn read(fields: &mut impl FieldReader) -> Option<DeleteSpaceQuery> {
        let id = fields.required("id", ResourceId::parse).map(|id| id.0);
        let force = Force::read(fields);
        fields.describe("id", "Id of the space.");

        Some(DeleteSpaceQuery {
            id: id?,
            force: force?,
        })
    }
}

/// Fails with 409 if the space contains files or folders and `force` is not true.
pub(crate) async fn delete(
    auth: Authenticated<DeleteSpace>,
    State(purge_queue): State<Queue<PurgeJob>>,
    ValidQuery(query): ValidQuery<DeleteSpaceQuery>,
) -> Result<Deletion, ApiError> {
    let can: Can<DeleteSpace> = auth.can(&query.id).await?;
    can.space.delete(query.force.0, &purge_queue).await?;
    Ok(query.force.into())
}
