//! Checks of a presigned request in addition to its signature: that the URL has not expired by the
//! injected clock, and that all `x-amz-` headers are signed.

use std::sync::Arc;

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode, header};
use percent_encoding::percent_decode_str;
use s3s::dto::{Timestamp, TimestampFormat};

use super::object_rows::timestamp;
use crate::clock::AsyncClock;

/// Maximum validity of a presigned URL, in seconds: seven days.
const VALIDITY_SECONDS_MAX: i64 = 604_800;

/// Prefix of the headers that change the meaning of a request.
const AMZ_PREFIX: &str = "x-amz-";

/// Rejects expired URLs, URLs with an invalid validity, and unsigned `x-amz-` headers.
pub(super) async fn check(clock: Arc<dyn AsyncClock>, request: Request, next: Next) -> Response {
    match rejection(&*clock, &request) {
        Some(response) => response,
        None => next.run(request).await,
    }
}

fn rejection(clock: &dyn AsyncClock, request: &Request) -> Option<Response> {
    let query = request.uri().query().unwrap_or_default();
    let parameter = |name: &str| {
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    };

    // A request without both parameters is not presigned.
    let date = parameter("X-Amz-Date")?;
    let expires = parameter("X-Amz-Expires")?;

    let Some((start, validity)) = parse_date(date).zip(expires.parse::<i64>().ok()) else {
        return Some(malformed("X-Amz-Date or X-Amz-Expires is malformed"));
    };

    if !(1..=VALIDITY_SECONDS_MAX).contains(&validity) {
        return Some(malformed("X-Amz-Expires must be between 1 and 604800"));
    }
    if timestamp(clock.now_ms() - validity * 1000) > start {
        return Some(denied("Request has expired"));
    }

    let signed_headers = parameter("X-Amz-SignedHeaders").unwrap_or_default();
    if !are_amz_headers_signed(request.headers(), signed_headers) {
        return Some(denied(
            "There were headers present in the request which were not signed",
        ));
    }

    None
}

fn are_amz_headers_signed(headers: &HeaderMap, signed_headers: &str) -> bool {
    let signed_names = percent_decode_str(signed_headers).decode_utf8_lossy();
    let is_signed = |name: &str| {
        signed_names
            .split(';')
            .any(|signed| signed.eq_ignore_ascii_case(name))
    };

    headers
        .keys()
        .map(http::HeaderName::as_str)
        .filter(|name| name.starts_with(AMZ_PREFIX))
        .all(is_signed)
}

fn malformed(message: &str) -> Response {
    let code = "AuthorizationQueryParametersError";
    error_response(StatusCode::BAD_REQUEST, code, message)
}

fn denied(message: &str) -> Response {
    error_response(StatusCode::FORBIDDEN, "AccessDenied", message)
}

fn error_response(status: StatusCode, code: &str, message: &str) -> Response {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>"
    );
    (status, [(header::CONTENT_TYPE, "application/xml")], body).into_response()
}

/// Parses `20260102T030405Z`.
fn parse_date(date: &str) -> Option<Timestamp> {
    let part = |from: usize, to: usize| date.get(from..to);
    let (year, month, day_and_hour) = (part(0, 4)?, part(4, 6)?, part(6, 11)?);
    let (minute, second_and_zone) = (part(11, 13)?, date.get(13..)?);
    let date = format!("{year}-{month}-{day_and_hour}:{minute}:{second_and_zone}");
    Timestamp::parse(TimestampFormat::DateTime, &date).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amz_dates_are_parsed_to_whole_seconds() {
        for (date, expected) in [
            ("19700101T000000Z", Some(0)),
            ("20260102T030405Z", Some(1_767_323_045)),
            ("20240229T235959Z", Some(1_709_251_199)),
            ("2026-01-02", None),
            ("20261302T030405Z", None),
            ("20260102T030405Zx", None),
        ] {
            let expected = expected.map(|seconds: i64| timestamp(seconds * 1000));
            assert_eq!(parse_date(date), expected, "{date}");
        }
    }
}
