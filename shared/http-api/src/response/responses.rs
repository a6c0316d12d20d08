//! Responses of handlers that succeed.

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

/// The stored response of an earlier request.
#[derive(Clone, Debug)]
pub struct Replay(pub(crate) Vec<u8>);

impl Replay {
    /// Returns the bytes that `Reservation::complete_with` stored.
    pub fn stored(&self) -> &[u8] {
        &self.0
    }
}

/// Header of a response that repeats an earlier one.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

#[derive(Serialize)]
struct Envelope<T> {
    data: T,
}

/// 200 with `{"data": …}`.
pub struct Data<T>(pub T);

/// 201 with `{"data": …}`.
pub enum Created<T> {
    /// The request created the resource.
    New(T),
    /// An earlier request with the same `Idempotency-Key` created it.
    Replayed(Replay),
}

/// 201 without the `data` envelope.
pub struct CreatedUnwrapped<T> {
    pub body: T,
    /// Whether an earlier request with the same `Idempotency-Key` created it.
    pub is_replayed: bool,
}

/// 202 without a body: the operation continues in the background.
pub struct Accepted;

/// 204 without a body.
pub struct NoContent;

impl<T: Serialize> IntoResponse for Data<T> {
    fn into_response(self) -> Response {
        Json(Envelope { data: self.0 }).into_response()
    }
}

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        match self {
            Created::New(data) => (StatusCode::CREATED, Json(Envelope { data })).into_response(),
            Created::Replayed(Replay(body)) => {
                let headers = [
                    (
                        header::CONTENT_TYPE,
                        HeaderValue::from_static(mime::APPLICATION_JSON.essence_str()),
                    ),
                    (REPLAYED, HeaderValue::from_static("true")),
                ];
                (StatusCode::CREATED, headers, body).into_response()
            }
        }
    }
}

impl<T: Serialize> IntoResponse for CreatedUnwrapped<T> {
    fn into_response(self) -> Response {
        let mut response = (StatusCode::CREATED, Json(self.body)).into_response();
        if self.is_replayed {
            response
                .headers_mut()
                .insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

impl IntoResponse for Accepted {
    fn into_response(self) -> Response {
        StatusCode::ACCEPTED.into_response()
    }
}

impl IntoResponse for NoContent {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

/// Returns the JSON body of a [`Created`].
pub(crate) fn created_body(view: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&Envelope { data: view }).unwrap_or_default()
}
