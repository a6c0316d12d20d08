//! `DELETE /spaces?id=`: delete a space that is empty, or a space with its files by `force=true`.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use domain::FieldError;
use tenant::{PurgeJob, Queue};
use web::{
    Accepted, ApiError, Authenticated, Can, DeleteSpace, Endpoint, FieldReader, FromFields,
    NoContent, ResourceId, ValidQuery,
    openapi::{DescribeOutput, Operation},
};

pub(crate) const DELETE: Endpoint = Endpoint::delete("deleteSpace", "/spaces", "Delete a space")
    .errors(&[
        (404, "The space does not exist."),
        (
            409,
            "The space is not empty, and `force` is not true; or it is being deleted.",
        ),
    ]);

pub(crate) struct DeleteQuery {
    id: String,
    force: bool,
}

impl FromFields for DeleteQuery {
    fn read(fields: &mut impl FieldReader) -> Option<DeleteQuery> {
        let id = fields.required("id", ResourceId::parse).map(|id| id.0);
        let force = fields.optional("force", |text| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(FieldError::NotABoolean),
        });

        Some(DeleteQuery {
            id: id?,
            force: force.unwrap_or_default(),
        })
    }
}

/// How far a deletion is when it is answered.
pub(crate) enum Deletion {
    /// 204: the space was empty.
    Done,
    /// 202: its files are removed in the background.
    Started,
}

impl IntoResponse for Deletion {
    fn into_response(self) -> Response {
        match self {
            Deletion::Done => NoContent.into_response(),
            Deletion::Started => Accepted.into_response(),
        }
    }
}

impl DescribeOutput for Deletion {
    fn describe(operation: &mut Operation<'_>) {
        NoContent::describe(operation);
        Accepted::describe(operation);
    }
}

/// Fails with 409 if the space has files and `force` is not true.
pub(crate) async fn delete(
    auth: Authenticated<DeleteSpace>,
    State(purge): State<Queue<PurgeJob>>,
    ValidQuery(DeleteQuery { id, force }): ValidQuery<DeleteQuery>,
) -> Result<Deletion, ApiError> {
    let can: Can<DeleteSpace> = auth.can(&id).await?;
    can.space.delete(force, &purge).await?;

    Ok(if force {
        Deletion::Started
    } else {
        Deletion::Done
    })
}
