//! Query parameters as fields.

use axum::extract::{FromRef, FromRequestParts};
use domain::env::Timestamp;
use http::{Uri, request::Parts};

use crate::{
    caller::{ApiState, Authenticated},
    fields::{FromFields, InputFields},
    response::ApiError,
};

/// A query with valid parameters.
pub struct ValidQuery<T>(pub T);

impl<T, S> FromRequestParts<S> for ValidQuery<T>
where
    T: FromFields,
    ApiState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ValidQuery<T>, ApiError> {
        let auth = <Authenticated>::from_request_parts(parts, state).await?;
        let mut fields = query_fields(&parts.uri, auth.env().now());
        let read = T::read(&mut fields);
        Ok(ValidQuery(fields.finish(read)?))
    }
}

/// Returns the parameters of a query as fields.
pub(crate) fn query_fields(uri: &Uri, now: Timestamp) -> InputFields {
    let query = uri.query().unwrap_or_default();
    let parameters = form_urlencoded::parse(query.as_bytes()).into_owned();
    InputFields::of_texts(parameters, now)
}
