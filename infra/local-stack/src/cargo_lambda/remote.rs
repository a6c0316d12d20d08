//! Invokes a function through the invoke API of cargo-lambda, with Lambda's limits on the size of
//! events and responses.

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderName, Request, Response, Uri, header};
use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};

use crate::invoke_error::InvokeError;

/// Maximum size of an encoded event or response, in bytes.
pub(crate) const EVENT_BYTES: usize = 6_291_556;
/// Size of an event without headers and body, in bytes.
const ENVELOPE_BYTES: usize = 1_024;
/// Maximum size of the response of a worker, in bytes.
const BATCH_RESPONSE_BYTES: usize = 1 << 20;

/// Hop-by-hop headers, which are not forwarded.
const HOP_BY_HOP: [HeaderName; 4] = [
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::CONTENT_LENGTH,
];

/// A function under cargo-lambda.
pub(crate) struct RemoteFunction {
    client: Client<HttpConnector, Body>,
    authority: String,
    binary: String,
}

impl RemoteFunction {
    /// Creates a client of the function `binary`.
    pub(super) fn new(authority: String, binary: String) -> RemoteFunction {
        RemoteFunction {
            client: Client::builder(TokioExecutor::new()).build_http(),
            authority,
            binary,
        }
    }

    /// Invokes the function with a complete request, as Lambda does.
    pub(crate) async fn call(&self, request: Request<Body>) -> Result<Response<Body>, InvokeError> {
        let (mut parts, body) = request.into_parts();
        let bytes = complete_body(body, &parts).await?;

        let runtime_headers: Vec<_> = parts
            .headers
            .keys()
            .filter(|name| name.as_str().starts_with(RUNTIME_HEADERS))
            .cloned()
            .collect();
        for name in HOP_BY_HOP.into_iter().chain(runtime_headers) {
            parts.headers.remove(name);
        }
        // Without a content type, cargo-lambda treats the body as text and fails on other bytes.
        if !bytes.is_empty() && !parts.headers.contains_key(header::CONTENT_TYPE) {
            parts.headers.insert(
                header::CONTENT_TYPE,
                header::HeaderValue::from_static("application/octet-stream"),
            );
        }
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        parts.uri = self.uri(&format!("/lambda-url/{}{path}", self.binary))?;

        let response = self
            .client
            .request(Request::from_parts(parts, Body::from(bytes)))
            .await
            .map_err(failed)?;
        let (mut head, response_body) = response.into_parts();
        let length = head
            .headers
            .get(header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse().ok());
        if length.is_some_and(|length: usize| encoded_length(length, false) > EVENT_BYTES)
            && head.status != 304
        {
            return Err(InvokeError::Failed(
                "the response exceeds the limit of Lambda".to_owned(),
            ));
        }

        head.headers.remove(header::CONNECTION);
        head.headers.remove(header::TRANSFER_ENCODING);
        Ok(Response::from_parts(head, Body::new(response_body)))
    }

    /// Invokes the function with a batch of messages.
    pub(crate) async fn invoke_batch(
        &self,
        event: &SqsEvent,
    ) -> Result<SqsBatchResponse, InvokeError> {
        let uri = self.uri(&format!(
            "/2015-03-31/functions/{}/invocations",
            self.binary
        ))?;
        let json = serde_json::to_vec(event).map_err(failed)?;
        let request = Request::post(uri)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(json));

        let response = self
            .client
            .request(request.map_err(failed)?)
            .await
            .map_err(failed)?;
        let status = response.status();
        let body = http_body_util::Limited::new(response.into_body(), BATCH_RESPONSE_BYTES)
            .collect()
            .await
            .map_err(|error| InvokeError::Failed(error.to_string()))?
            .to_bytes();

        if !status.is_success() {
            return Err(InvokeError::Failed(format!(
                "the invocation ended with {status}"
            )));
        }
        serde_json::from_slice(&body).map_err(failed)
    }

    fn uri(&self, path: &str) -> Result<Uri, InvokeError> {
        format!("http://{}{path}", self.authority)
            .parse()
            .map_err(failed)
    }
}

fn failed(error: impl std::fmt::Display) -> InvokeError {
    InvokeError::Failed(error.to_string())
}

/// Prefix of the Runtime API's headers, which clients must not send.
const RUNTIME_HEADERS: &str = "lambda-runtime-";

/// Reads the complete body. Fails if the event would exceed the limit of Lambda.
async fn complete_body(body: Body, parts: &http::request::Parts) -> Result<Bytes, InvokeError> {
    let headers: usize = parts
        .headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 6)
        .sum();
    let rest = ENVELOPE_BYTES + headers + 2 * parts.uri.to_string().len();
    let text = is_text(&parts.headers);
    let mut stream = body.into_data_stream();
    let mut read = Vec::new();

    while let Some(chunk) = futures::StreamExt::next(&mut stream).await {
        read.extend_from_slice(&chunk.map_err(|_| InvokeError::BodyEndedEarly)?);
        if rest + encoded_length(read.len(), text) > EVENT_BYTES {
            return Err(InvokeError::TooLarge);
        }
    }

    if text && str::from_utf8(&read).is_err() {
        return Err(InvokeError::BodyNotUtf8);
    }

    Ok(read.into())
}

/// Returns the length of a body in an event, which encodes it in base64 unless it is text.
fn encoded_length(bytes: usize, text: bool) -> usize {
    if text { bytes } else { bytes.div_ceil(3) * 4 }
}

/// Returns whether an HTTP API includes a body of this type without base64.
fn is_text(headers: &http::HeaderMap) -> bool {
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    content_type.starts_with("text/")
        || [
            "application/json",
            "application/javascript",
            "application/xml",
        ]
        .iter()
        .any(|text| content_type.starts_with(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_includes_base64_unless_text() {
        assert_eq!(encoded_length(3, false), 4);
        assert_eq!(encoded_length(4, false), 8);
        assert_eq!(encoded_length(4, true), 4);
        // 4.4 MB of file fit, 4.8 MB do not.
        assert!(encoded_length(4_400_000, false) + ENVELOPE_BYTES < EVENT_BYTES);
        assert!(encoded_length(4_800_000, false) > EVENT_BYTES);
    }
}
