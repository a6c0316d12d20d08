//! JSON bodies: read into valid requests, or handed on with their fields unread.

use std::marker::PhantomData;

use axum::extract::{FromRequest, Request as HttpRequest};
use domain::{ServiceError, Timestamp};
use serde_json::Value;

use crate::{ApiError, Authenticated, FromFields, InputFields, body::read_json};

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
    pub fields: InputFields,
    /// The object as it was sent.
    pub value: Value,
    described: PhantomData<T>,
}

impl<T: Send, S: Send + Sync> FromRequest<S> for UnreadJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: HttpRequest, _state: &S) -> Result<UnreadJson<T>, ApiError> {
        let now = Authenticated::of(&request)?.env().now();
        let object = JsonObject::read(request, now).await?;
        Ok(UnreadJson {
            fields: object.fields,
            value: object.value,
            described: PhantomData,
        })
    }
}

/// A JSON object from a request body.
pub struct JsonObject {
    /// The members, to be read into a request type.
    pub fields: InputFields,
    /// The object as it was sent.
    pub value: Value,
}

impl JsonObject {
    /// Reads the body of a request. Fails with 400 if the body is not a JSON object, and with 413
    /// or 415 if its size or content type is not accepted.
    pub async fn read(request: HttpRequest, now: Timestamp) -> Result<JsonObject, ServiceError> {
        let (parts, body) = request.into_parts();
        let bytes = read_json(&parts.headers, body).await?;

        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(members)) => Ok(JsonObject {
                fields: InputFields::of(members.clone(), now),
                value: Value::Object(members),
            }),
            Ok(_) => Err(ServiceError::malformed("The body must be a JSON object.")),
            Err(error) => Err(ServiceError::malformed(format!(
                "The body is not JSON: {error}."
            ))),
        }
    }
}
