//! Responses.

use std::time::UNIX_EPOCH;

use bytes::Bytes;
use domain::env::Timestamp;
use http::{
    HeaderMap, HeaderName, StatusCode,
    header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER, TRANSFER_ENCODING},
};

use crate::OutboundError;

const MS_PER_SECOND: i64 = 1_000;

/// Response of a `GET`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Status, of any class but 3xx.
    pub status: StatusCode,
    /// Value of `Content-Type`, as the host declares it.
    pub content_type: Option<String>,
    pub body: Bytes,
}

impl Fetched {
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, body: Bytes) -> Fetched {
        Fetched {
            status,
            content_type: text(headers, &CONTENT_TYPE).map(str::to_owned),
            body,
        }
    }
}

/// Response of a `POST`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Status, of any class but 3xx.
    pub status: StatusCode,
    /// When the host asks for the next attempt. `None` also if the header is malformed.
    pub retry_after: Option<RetryAfter>,
    /// Beginning of the body, as sent: possibly encoded, cut at the limit of the request.
    pub body_start: Bytes,
}

impl Posted {
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, body_start: Bytes) -> Posted {
        Posted {
            status,
            retry_after: text(headers, &RETRY_AFTER).and_then(RetryAfter::parse),
            body_start,
        }
    }
}

/// Value of `Retry-After`
/// ([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#field.retry-after)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// Seconds after the response.
    Seconds(u32),
    At(Timestamp),
}

impl RetryAfter {
    /// Returns the moment for a response that arrived at `now`. It can be in the past, or years
    /// ahead: callers bound it.
    pub fn moment(self, now: Timestamp) -> Timestamp {
        match self {
            RetryAfter::Seconds(seconds) => now.plus_ms(i64::from(seconds) * MS_PER_SECOND),
            RetryAfter::At(moment) => moment,
        }
    }

    fn parse(text: &str) -> Option<RetryAfter> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return Some(RetryAfter::Seconds(text.parse().unwrap_or(u32::MAX)));
        }

        let moment = httpdate::parse_http_date(text).ok()?;
        let since_1970 = moment.duration_since(UNIX_EPOCH).ok()?;
        let seconds = i64::try_from(since_1970.as_secs()).ok()?;
        Some(RetryAfter::At(Timestamp::from_seconds(seconds)))
    }
}

/// Fails if the body is compressed: no request accepts that, and it could expand without limit.
pub(crate) fn reject_encoded(headers: &HeaderMap) -> Result<(), OutboundError> {
    let is_plain = |name: HeaderName, plain: &str| {
        let mut values = headers.get_all(name).iter();
        values.all(|value| value.as_bytes().eq_ignore_ascii_case(plain.as_bytes()))
    };

    if is_plain(CONTENT_ENCODING, "identity") && is_plain(TRANSFER_ENCODING, "chunked") {
        Ok(())
    } else {
        Err(OutboundError::Encoded)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
