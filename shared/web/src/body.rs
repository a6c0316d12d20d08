//! Bodies: their content type, their bound, and what is done with those that are refused.

use axum::body::Body;
use bytes::Bytes;
use domain::{Fault, FaultKind};
use futures::StreamExt;
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use mime::Mime;

/// Largest JSON body, in bytes.
pub(crate) const JSON_BYTES: usize = 1 << 20;
/// Bytes of a refused body that are read and thrown away, so that the client reads the answer instead of a broken pipe.
pub const DRAIN_BYTES: usize = 64 << 20;

/// The content type of a request, where it has one.
pub fn content_type(headers: &HeaderMap) -> Option<Mime> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()?.parse().ok()
}

/// Reads a JSON body.
pub(crate) async fn read_json(headers: &HeaderMap, body: Body) -> Result<Bytes, Fault> {
    let is_json = content_type(headers).is_some_and(|mime| {
        mime.type_() == mime::APPLICATION && (mime.subtype() == mime::JSON || mime.suffix() == Some(mime::JSON))
    });
    if !is_json {
        drain(body).await;
        return Err(Fault::new(FaultKind::UnsupportedMediaType, "The content type must be application/json."));
    }
    let mut stream = body.into_data_stream();
    let mut read = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Fault::malformed("The body ended early."))?;
        if read.len() + chunk.len() > JSON_BYTES {
            drain(Body::from_stream(stream)).await;
            return Err(Fault::new(
                FaultKind::TooLarge,
                format!("The body must not be greater than {} kilobytes.", JSON_BYTES >> 10),
            ));
        }
        read.extend_from_slice(&chunk);
    }
    Ok(read.into())
}

/// Reads and throws away what is left of a body, up to [`DRAIN_BYTES`].
pub async fn drain(mut body: Body) {
    let mut drained = 0;
    while let Some(Ok(frame)) = body.frame().await {
        drained += frame.data_ref().map_or(0, Bytes::len);
        if drained > DRAIN_BYTES {
            return;
        }
    }
}
