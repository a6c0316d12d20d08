//! What is judged of a presigned request before its signature: that the address has not ended, told
//! by the injected clock, and that the request brings no more than was signed.

use std::sync::Arc;

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode, header};
use percent_encoding::percent_decode_str;

use crate::Clock;

/// Seconds that an address may be good for: seven days.
const SECONDS_MAX: i64 = 604_800;

/// What the names of the headers begin with by which a request says to S3 what it is about.
const AMAZON: &str = "x-amz-";

/// Refuses an address that has ended, or that asks for too long a life, and headers that could make
/// it another request.
pub(super) async fn judge(clock: Arc<dyn Clock>, request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let parameter = |name: &str| {
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    };
    let (Some(date), Some(seconds)) = (parameter("X-Amz-Date"), parameter("X-Amz-Expires")) else {
        return next.run(request).await;
    };
    let Some((start, seconds)) = seconds_since_epoch(date).zip(seconds.parse::<i64>().ok()) else {
        return rejection(
            StatusCode::BAD_REQUEST,
            "AuthorizationQueryParametersError",
            "X-Amz-Date or X-Amz-Expires is malformed",
        );
    };
    if !(1..=SECONDS_MAX).contains(&seconds) {
        let message = "X-Amz-Expires must be between 1 and 604800";
        return rejection(
            StatusCode::BAD_REQUEST,
            "AuthorizationQueryParametersError",
            message,
        );
    }
    if clock.now_ms() / 1000 > start + seconds {
        return rejection(StatusCode::FORBIDDEN, "AccessDenied", "Request has expired");
    }
    if !are_signed(
        request.headers(),
        parameter("X-Amz-SignedHeaders").unwrap_or_default(),
    ) {
        let message = "There were headers present in the request which were not signed";
        return rejection(StatusCode::FORBIDDEN, "AccessDenied", message);
    }
    next.run(request).await
}

/// Whether the signature covers each header of Amazon's.
fn are_signed(headers: &HeaderMap, signed: &str) -> bool {
    let signed = percent_decode_str(signed).decode_utf8_lossy();
    let is_signed = |name: &str| {
        signed
            .split(';')
            .any(|signed| signed.eq_ignore_ascii_case(name))
    };
    headers
        .keys()
        .all(|name| !name.as_str().starts_with(AMAZON) || is_signed(name.as_str()))
}

fn rejection(status: StatusCode, code: &str, message: &str) -> Response {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>"
    );
    (status, [(header::CONTENT_TYPE, "application/xml")], body).into_response()
}

/// Reads `20260102T030405Z`; days are counted as in "days from civil" (Howard Hinnant).
fn seconds_since_epoch(date: &str) -> Option<i64> {
    let digits = |from: usize, to: usize| date.get(from..to)?.parse::<i64>().ok();
    let shaped = date.len() == 16 && date.as_bytes()[8] == b'T' && date.ends_with('Z');
    let (year, month, day) = (digits(0, 4)?, digits(4, 6)?, digits(6, 8)?);
    let (hour, minute, second) = (digits(9, 11)?, digits(11, 13)?, digits(13, 15)?);
    if !shaped || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read() {
        for (date, expected) in [
            ("19700101T000000Z", Some(0)),
            ("20260102T030405Z", Some(1_767_323_045)),
            ("20240229T235959Z", Some(1_709_251_199)),
            ("2026-01-02", None),
            ("20261302T030405Z", None),
        ] {
            assert_eq!(seconds_since_epoch(date), expected, "{date}");
        }
    }
}
