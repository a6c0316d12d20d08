//! The form of answers: envelopes for what was asked, one body for every refusal.

use std::collections::BTreeMap;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use domain::{ErrorKind, ServiceError, error_chain};
use http::{HeaderName, HeaderValue, StatusCode, header};
use runtime::ErrorCause;
use serde::Serialize;

use crate::Replay;

/// What marks an answer that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Maximum length of the names of fields in the log, in bytes: some are a client's own.
const LOGGED_FIELDS_BYTES: usize = 256;

#[derive(Serialize)]
struct Envelope<T> {
    data: T,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    message: &'a str,
    errors: BTreeMap<String, Vec<String>>,
}

/// 200 with `{"data": …}`.
pub struct Data<T>(pub T);

/// 201 with `{"data": …}`: as it is now, or as it was when the request was first answered.
pub enum Created<T> {
    /// The resource was created.
    New(T),
    /// It was created before.
    Replayed(Replay),
}

/// 201 with what was created as it is, without an envelope.
pub struct CreatedUnwrapped<T> {
    /// What was created.
    pub body: T,
    /// Whether it was created before.
    pub is_replayed: bool,
}

/// 202 without a body: what was asked for is done for the caller, and goes on behind.
pub struct Accepted;

/// 204.
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

/// An error on its way to the client. `?` makes one of anything that is a [`ServiceError`].
#[derive(Debug)]
pub struct ApiError(pub ServiceError);

impl<T: Into<ServiceError>> From<T> for ApiError {
    fn from(error: T) -> ApiError {
        ApiError(error.into())
    }
}

/// The body of a [`Created`].
pub(crate) fn created_body(view: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&Envelope { data: view }).unwrap_or_default()
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let ApiError(error) = self;
        let status = status(error.kind);
        let cause = ErrorCause {
            text: cause(&error),
            is_contention: error.kind == ErrorKind::Contended,
        };
        let body = ErrorBody {
            message: &error.message,
            errors: error.field_errors.into_messages(),
        };
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        if error.kind == ErrorKind::Unauthenticated {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = error.retry_after_seconds {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(rate_limit) = error.rate_limit {
            response.extensions_mut().insert(*rate_limit);
        }
        response.extensions_mut().insert(cause);
        response
    }
}

/// Describes an error for the log: its messages, and the names of the fields with errors, but not
/// their values.
fn cause(error: &ServiceError) -> String {
    let mut text = error_chain(error);
    if !error.field_errors.is_empty() {
        let fields: Vec<&str> = error.field_errors.fields().collect();
        let fields = fields.join(", ");
        let logged = &fields[..fields.floor_char_boundary(LOGGED_FIELDS_BYTES)];
        text.truncate(text.trim_end_matches('.').len());
        text.push_str(": ");
        text.push_str(logged);
    }
    text
}

fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Malformed => StatusCode::BAD_REQUEST,
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        ErrorKind::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorKind::Contended | ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}
