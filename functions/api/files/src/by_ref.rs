//! `GET /files/by-ref`: get the newest file with a reference of the client.

use axum::extract::State;
use domain::{errors::ServiceError, naming::Reference};
use http_api::{
    caller::{Authenticated, Listed, ReadFiles, SpaceQuery},
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::ValidQuery,
    response::{ApiError, Data, FileFields, SelectedFileView},
};

use crate::{FilesState, view::selected_file_view};

pub(crate) const BY_REF: Endpoint = Endpoint::get(
    "getFileByReference",
    "/files/by-ref",
    "Get the newest file with a reference",
)
.description(
    "`ref` is a value of your application, set on upload or with `updateFile`. References need \
     not be unique: of several files, the response contains the newest.",
)
.errors(&[(
    404,
    "The space does not exist, or no file of it has the reference.",
)]);

pub(crate) struct ReferenceQuery {
    space: SpaceQuery,
    reference: Reference,
    fields: FileFields,
}

impl FromFields for ReferenceQuery {
    fn read(fields: &mut impl FieldReader) -> Option<ReferenceQuery> {
        let space = SpaceQuery::read(fields);
        let reference = fields.required("ref", Reference::parse);
        fields.describe("ref", "Reference chosen by the client.");
        let selected = FileFields::read(fields);

        Some(ReferenceQuery {
            space: space?,
            reference: reference?,
            fields: selected?,
        })
    }
}

pub(crate) async fn by_ref(
    auth: Authenticated<ReadFiles>,
    State(files): State<FilesState>,
    ValidQuery(query): ValidQuery<ReferenceQuery>,
) -> Result<Data<SelectedFileView>, ApiError> {
    let Listed { can, found } = auth
        .list(&query.space, async |lists| {
            lists.file_by_reference(&query.reference).await
        })
        .await?;
    let files_of_space = can.space.files();
    let found = files_of_space.newest_with(&query.reference, found).await?;
    let file = found.ok_or_else(ServiceError::not_found)?;

    let view = selected_file_view(&can.space, &file, &files.cdn_url, query.fields);
    Ok(Data(view.await?))
}
