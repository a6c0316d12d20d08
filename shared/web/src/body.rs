//! Bodies: their content type, their bound, and what is done with those that are refused.

use axum::body::Body;
use bytes::Bytes;
use domain::{ErrorKind, ServiceError};
use futures::StreamExt;
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use mime::Mime;

/// Largest JSON body, in bytes.
pub(crate) const JSON_BYTES: usize = 1 << 20;
/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// What an empty body stands for.
const EMPTY_OBJECT: &[u8] = b"{}";
/// Bytes of a refused body that are read and thrown away, so that the client reads the answer
/// instead of a broken pipe.
pub const DRAIN_BYTES: usize = 64 << 20;

/// The content type of a request, where it has one.
pub fn content_type(headers: &HeaderMap) -> Option<Mime> {
    headers
        .get(header::CONTENT_TYPE)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

/// Reads the body of a JSON route without its byte order mark. An empty body of any content type
/// stands for `{}`.
///
/// Fails with 415 if the body is of another content type, or encoded; with 413 above
/// [`JSON_BYTES`]; with 400 if the body ends early.
pub(crate) async fn read_json(headers: &HeaderMap, body: Body) -> Result<Bytes, ServiceError> {
    let is_typed = headers.contains_key(header::CONTENT_TYPE);
    if let Err(encoded) = require_unencoded(headers) {
        drain(body).await;
        return Err(encoded);
    }
    if is_typed && !is_json(headers) {
        let is_empty = drain(body).await == 0;
        return if is_empty {
            Ok(Bytes::from_static(EMPTY_OBJECT))
        } else {
            Err(not_json())
        };
    }

    let read = read_bounded(body).await?;
    if !is_typed && !read.is_empty() {
        return Err(not_json());
    }
    // RFC 8259, section 8.1: a parser may ignore a byte order mark.
    let is_marked = read.starts_with(BYTE_ORDER_MARK);
    let json = if is_marked {
        read.slice(BYTE_ORDER_MARK.len()..)
    } else {
        read
    };
    Ok(if json.is_empty() {
        Bytes::from_static(EMPTY_OBJECT)
    } else {
        json
    })
}

/// Fails with 415 if a body is encoded; `identity` is no encoding (RFC 9110, section 8.4.1).
pub fn require_unencoded(headers: &HeaderMap) -> Result<(), ServiceError> {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    if encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(unsupported(
            "The body must not be encoded: Content-Encoding is not supported.",
        ));
    }
    Ok(())
}

fn is_json(headers: &HeaderMap) -> bool {
    content_type(headers).is_some_and(|mime| {
        mime.type_() == mime::APPLICATION
            && (mime.subtype() == mime::JSON || mime.suffix() == Some(mime::JSON))
    })
}

fn not_json() -> ServiceError {
    unsupported("The content type must be application/json.")
}

fn unsupported(message: &'static str) -> ServiceError {
    ServiceError::new(ErrorKind::UnsupportedMediaType, message)
}

async fn read_bounded(body: Body) -> Result<Bytes, ServiceError> {
    let mut stream = body.into_data_stream();
    let mut read = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| ServiceError::malformed("The body ended early."))?;
        if read.len() + chunk.len() > JSON_BYTES {
            drain(Body::from_stream(stream)).await;
            let message = format!(
                "The body must not be greater than {} kilobytes.",
                JSON_BYTES >> 10
            );
            return Err(ServiceError::new(ErrorKind::TooLarge, message));
        }
        read.extend_from_slice(&chunk);
    }
    Ok(read.into())
}

/// Reads and throws away what is left of a body, up to [`DRAIN_BYTES`]. Returns how many bytes were
/// read.
pub async fn drain(mut body: Body) -> usize {
    let mut drained = 0;
    while let Some(Ok(frame)) = body.frame().await {
        drained += frame.data_ref().map_or(0, Bytes::len);
        if drained > DRAIN_BYTES {
            break;
        }
    }
    drained
}
