//! Extractors of JSON bodies.

use std::marker::PhantomData;

use axum::extract::{FromRequest, Request};
use domain::{env::Timestamp, errors::ServiceError};
use serde_json::Value;

use super::body::read_json;
use crate::{
    caller::Authenticated,
    fields::{FromFields, InputFields},
    response::ApiError,
};

/// A JSON body with valid fields.
pub struct ValidJson<T>(pub T);

impl<T: FromFields, S: Send + Sync> FromRequest<S> for ValidJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<ValidJson<T>, ApiError> {
        let mut body = UnreadJson::<T>::from_request(request, state).await?;
        let read = T::read(&mut body.fields);
        Ok(ValidJson(body.fields.finish(read)?))
    }
}

/// A JSON body whose fields the handler reads, because their meaning depends on a record. `T`
/// describes the fields in the OpenAPI document.
pub struct UnreadJson<T> {
    /// The fields, not read yet.
    pub fields: InputFields,
    /// The object as it was sent.
    pub value: Value,
    described: PhantomData<T>,
}

impl<T: Send, S: Send + Sync> FromRequest<S> for UnreadJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<UnreadJson<T>, ApiError> {
        let authenticated = Authenticated::of(&request)?;
        let now = authenticated.env().now();
        let url_policy = authenticated.url_policy();
        let object = JsonObject::read(request, now).await?;
        Ok(UnreadJson {
            fields: object.fields.with_url_policy(url_policy),
            value: object.value,
            described: PhantomData,
        })
    }
}

/// A JSON object from a request body.
pub struct JsonObject {
    /// The fields, not read yet.
    pub fields: InputFields,
    /// The object as it was sent.
    pub value: Value,
}

impl JsonObject {
    /// Reads the body of a request. Fails with 400 if the body is not a JSON object, and with 413
    /// or 415 if its size or content type is not accepted.
    pub async fn read(request: Request, now: Timestamp) -> Result<JsonObject, ServiceError> {
        let (parts, body) = request.into_parts();
        let bytes = read_json(&parts.headers, body).await?;

        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(members)) => Ok(JsonObject {
                fields: InputFields::of(members.clone(), now),
                value: Value::Object(members),
            }),
            Ok(_) => Err(ServiceError::malformed("The body must be a JSON object.")),
            Err(error) => {
                let message = format!("The body is not valid JSON: {error}.");
                Err(ServiceError::malformed(message))
            }
        }
    }
}
