//! JSON bodies: read into valid requests, or handed on with their fields unread.

use std::marker::PhantomData;

use axum::extract::{FromRequest, Request as HttpRequest};
use domain::{ServiceError, Timestamp};
use serde_json::Value;

use crate::{ApiError, Authenticated, Fields, FromFields, body::read_json};

/// A valid JSON body.
pub struct ValidJson<T>(pub T);

impl<T: FromFields, S: Send + Sync> FromRequest<S> for ValidJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: HttpRequest, state: &S) -> Result<ValidJson<T>, ApiError> {
        let mut body = UnreadJson::<T>::from_request(request, state).await?;
        let read = T::read(&mut body.fields);
        Ok(ValidJson(body.fields.finish(read)?))
    }
}

/// A JSON object whose fields a handler reads itself, those of `T` among them: what they mean
/// depends on a record.
pub struct UnreadJson<T> {
    /// The fields.
    pub fields: Fields,
    /// The object as it was sent.
    pub value: Value,
    described: PhantomData<T>,
}

impl<T: Send, S: Send + Sync> FromRequest<S> for UnreadJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: HttpRequest, _state: &S) -> Result<UnreadJson<T>, ApiError> {
        let now = Authenticated::of(&request)?.env().now();
        let (fields, value) = read_fields(request, now).await?;
        Ok(UnreadJson {
            fields,
            value,
            described: PhantomData,
        })
    }
}

/// Reads a JSON object, both as fields and as it is.
pub async fn read_fields(
    request: HttpRequest,
    now: Timestamp,
) -> Result<(Fields, Value), ServiceError> {
    let (parts, body) = request.into_parts();
    let bytes = read_json(&parts.headers, body).await?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(values)) => Ok((Fields::of(values.clone(), now), Value::Object(values))),
        Ok(_) => Err(ServiceError::malformed("The body must be a JSON object.")),
        Err(error) => Err(ServiceError::malformed(format!(
            "The body is not JSON: {error}."
        ))),
    }
}
