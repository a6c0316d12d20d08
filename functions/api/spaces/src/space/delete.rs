//! `DELETE /spaces?id=`: delete an empty space, or with `force=true` a space and its files.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use domain::FieldError;
use http_api::{
    Accepted, ApiError, Authenticated, Can, DeleteSpace, Endpoint, FieldReader, FromFields,
    NoContent, ResourceId, ValidQuery,
    openapi::{DescribeOutput, OperationBuilder},
};
use space_store::{PurgeJob, Queue};

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
    force: bool,
}

impl FromFields for DeleteSpaceQuery {
    fn read(fields: &mut impl FieldReader) -> Option<DeleteSpaceQuery> {
        let id = fields.required("id", ResourceId::parse).map(|id| id.0);
        let force = fields.optional("force", |text| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(FieldError::NotABoolean),
        });
        fields.describe("id", "Id of the space.");
        fields.describe(
            "force",
            "Whether to delete a space that is not empty, with all of its files: `true`, `1`, `false` \
             or `0`. Default: false.",
        );

        Some(DeleteSpaceQuery {
            id: id?,
            force: force.unwrap_or_default(),
        })
    }
}

/// Progress of the deletion when the response is sent.
pub(crate) enum SpaceDeletion {
    /// 204: the empty space was deleted.
    Completed,
    /// 202: `force` was true, and the files of the space are deleted in the background.
    Started,
}

impl IntoResponse for SpaceDeletion {
    fn into_response(self) -> Response {
        match self {
            SpaceDeletion::Completed => NoContent.into_response(),
            SpaceDeletion::Started => Accepted.into_response(),
        }
    }
}

impl DescribeOutput for SpaceDeletion {
    fn describe(operation: &mut OperationBuilder<'_>) {
        NoContent::describe(operation);
        Accepted::describe(operation);
    }
}

/// Fails with 409 if the space contains files or folders and `force` is not true.
pub(crate) async fn delete(
    auth: Authenticated<DeleteSpace>,
    State(purge_queue): State<Queue<PurgeJob>>,
    ValidQuery(query): ValidQuery<DeleteSpaceQuery>,
) -> Result<SpaceDeletion, ApiError> {
    let can: Can<DeleteSpace> = auth.can(&query.id).await?;
    can.space.delete(query.force, &purge_queue).await?;

    if query.force {
        Ok(SpaceDeletion::Started)
    } else {
        Ok(SpaceDeletion::Completed)
    }
}
