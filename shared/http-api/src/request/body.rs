//! Reads JSON bodies: content type, size limit, and draining of rejected bodies.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use domain::errors::{ErrorKind, ServiceError};
use futures::StreamExt;
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use mime::Mime;
use tokio::time::timeout;

/// Maximum size of a JSON body, in bytes.
pub(crate) const MAX_JSON_BYTES: usize = 1 << 20;
/// Maximum number of bytes of a rejected body that are drained, so that the client reads the
/// response instead of a broken connection.
const MAX_DRAIN_BYTES: usize = 64 << 20;
/// Maximum time to drain them: less than a client may pause, so that a pause does not turn the
/// error of the body into that of a timeout.
const MAX_DRAIN_TIME: Duration = Duration::from_secs(10);
/// Byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// JSON that an empty body is read as.
const EMPTY_OBJECT: &[u8] = b"{}";

/// Returns the content type of a request; `None` if it is missing or malformed.
pub fn content_type(headers: &HeaderMap) -> Option<Mime> {
    let value = headers.get(header::CONTENT_TYPE)?;
    value.to_str().ok()?.parse().ok()
}

/// Returns the declared size of a body, in bytes; `None` if it is not declared.
pub fn content_length(headers: &HeaderMap) -> Option<u64> {
    let value = headers.get(header::CONTENT_LENGTH)?;
    value.to_str().ok()?.parse().ok()
}

/// Reads a JSON body without its byte order mark. An empty body of any content type is `{}`.
///
/// Fails with 415 if the body has another content type or a content encoding, with 413 above
/// [`MAX_JSON_BYTES`], and with 400 if the body ends early.
pub(crate) async fn read_json(headers: &HeaderMap, body: Body) -> Result<Bytes, ServiceError> {
    let has_content_type = headers.contains_key(header::CONTENT_TYPE);
    if let Err(error) = require_unencoded(headers) {
        drain(body).await;
        return Err(error);
    }
    if has_content_type && !is_json(headers) {
        return if drain(body).await {
            Ok(Bytes::from_static(EMPTY_OBJECT))
        } else {
            Err(not_json())
        };
    }

    // A body that declares to be too large is not read at all.
    if content_length(headers).is_some_and(|length| length > MAX_JSON_BYTES as u64) {
        return Err(too_large());
    }

    let bytes = read_bounded(body).await?;
    if !has_content_type && !bytes.is_empty() {
        return Err(not_json());
    }

    // RFC 8259, section 8.1: a parser may ignore a byte order mark.
    let json = if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.slice(BYTE_ORDER_MARK.len()..)
    } else {
        bytes
    };
    Ok(if json.is_empty() {
        Bytes::from_static(EMPTY_OBJECT)
    } else {
        json
    })
}

/// Fails with 415 if a body has a content encoding other than `identity` (RFC 9110, section 8.4.1).
pub fn require_unencoded(headers: &HeaderMap) -> Result<(), ServiceError> {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    if encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(unsupported_media_type(
            "The body must not be encoded: Content-Encoding is not supported.",
        ));
    }
    Ok(())
}

/// Reads and discards the rest of a body, up to 64 MiB and for 10 seconds. Returns whether it ended
/// without a byte.
pub async fn drain(mut body: Body) -> bool {
    let mut drained = 0;
    let draining = async {
        while let Some(frame) = body.frame().await {
            let bytes = frame.ok()?;
            drained += bytes.data_ref().map_or(0, Bytes::len);
            if drained > MAX_DRAIN_BYTES {
                return None;
            }
        }
        Some(drained == 0)
    };

    // After the time, the rest stays unread.
    let is_empty = timeout(MAX_DRAIN_TIME, draining).await;
    matches!(is_empty, Ok(Some(true)))
}

fn is_json(headers: &HeaderMap) -> bool {
    content_type(headers).is_some_and(|mime| {
        mime.type_() == mime::APPLICATION
            && (mime.subtype() == mime::JSON || mime.suffix() == Some(mime::JSON))
    })
}

fn not_json() -> ServiceError {
    unsupported_media_type("The content type must be application/json.")
}

fn unsupported_media_type(message: &'static str) -> ServiceError {
    ServiceError::new(ErrorKind::UnsupportedMediaType, message)
}

async fn read_bounded(body: Body) -> Result<Bytes, ServiceError> {
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| ServiceError::malformed("The body ended early."))?;
        if bytes.len() + chunk.len() > MAX_JSON_BYTES {
            drain(Body::from_stream(stream)).await;
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}

fn too_large() -> ServiceError {
    let kilobytes = MAX_JSON_BYTES >> 10;
    let message = format!("The body must not be greater than {kilobytes} kilobytes.");
    ServiceError::new(ErrorKind::TooLarge, message)
}

#[cfg(test)]
mod tests {
    use futures::stream::{self, pending};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_a_body_that_ends_without_a_byte_is_empty() {
        let broken = stream::iter([Err::<Bytes, _>(std::io::Error::other("broken"))]);
        let silent = pending::<Result<Bytes, std::io::Error>>();

        assert!(drain(Body::empty()).await);
        assert!(!drain(Body::from("a")).await);
        assert!(!drain(Body::from(vec![0; MAX_DRAIN_BYTES + 1])).await);
        assert!(!drain(Body::from_stream(broken)).await);
        assert!(!drain(Body::from_stream(silent)).await);
    }
}
