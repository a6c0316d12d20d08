//! Error responses: their status, headers and standard body, and what is logged of an error.

use std::collections::BTreeMap;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use domain::errors::{ErrorKind, ServiceError, error_chain};
use http::{HeaderValue, StatusCode, header};
use runtime::http::ErrorCause;
use schemars::JsonSchema;
use serde::Serialize;

/// Message of the log line of a part of a request.
const PART_FAILED: &str = "a part of a request failed";

/// Maximum length of the field names in a log line, in bytes: clients choose some of them.
const LOGGED_FIELDS_BYTES: usize = 256;

/// The standard body of errors.
#[derive(Serialize, JsonSchema)]
struct ErrorBody {
    message: String,
    /// Messages by field.
    errors: BTreeMap<String, Vec<String>>,
}

impl ErrorBody {
    fn of(error: &mut ServiceError) -> ErrorBody {
        ErrorBody {
            message: error.message.to_string(),
            errors: std::mem::take(&mut error.field_errors).into_messages(),
        }
    }
}

/// An error response. `?` converts a [`ServiceError`] into it.
#[derive(Debug)]
pub struct ApiError(pub ServiceError);

impl<T: Into<ServiceError>> From<T> for ApiError {
    fn from(error: T) -> ApiError {
        ApiError(error.into())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let ApiError(mut error) = self;
        let status = status(error.kind);
        let cause = ErrorCause {
            text: cause(&error),
            is_contention: error.kind == ErrorKind::Contended,
        };
        let mut response = (status, Json(ErrorBody::of(&mut error))).into_response();
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

/// Why a part of a request failed, in the body of its response.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PartError")]
pub struct PartError {
    /// Status that a request for this part alone would have had.
    status: u16,
    #[serde(flatten)]
    body: ErrorBody,
    /// Seconds after which to send the part again, as in the header `Retry-After`. Null if it does
    /// not help.
    retry_after: Option<u32>,
}

impl From<ServiceError> for PartError {
    /// Logs an error of the service, which the status of the response does not show. Contention is
    /// none.
    fn from(mut error: ServiceError) -> PartError {
        let status = status(error.kind).as_u16();
        match error.kind {
            ErrorKind::Contended => tracing::info!(cause = cause(&error), status, PART_FAILED),
            ErrorKind::Internal | ErrorKind::Unavailable => {
                tracing::error!(cause = cause(&error), status, PART_FAILED);
            }
            _ => {}
        }
        PartError {
            status,
            body: ErrorBody::of(&mut error),
            retry_after: error.retry_after_seconds,
        }
    }
}

/// Describes an error for the log: its messages and the names of invalid fields, without values.
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
