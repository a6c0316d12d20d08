//! The functions as real Lambda binaries, under `cargo lambda watch`.
//!
//! cargo-lambda serves the Runtime API and the invoke API alone; the binaries are started and
//! watched over here, one process each. What Lambda limits and cargo-lambda does not is kept here:
//! the size of an event and of an answer.

mod running;

use std::path::PathBuf;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderName, Request, Response, Uri, header};
use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};

use crate::callee::Unanswered;

pub(crate) use running::Running;

/// Most bytes of an encoded event, and of an encoded answer.
pub(crate) const EVENT_BYTES: usize = 6_291_556;
/// Bytes of an event beside its headers and body.
const ENVELOPE_BYTES: usize = 1_024;
/// Most bytes of a worker's answer.
const BATCH_ANSWER_BYTES: usize = 1 << 20;

/// Headers between two neighbours, which are not passed on.
const HOP_BY_HOP: [HeaderName; 4] = [
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::CONTENT_LENGTH,
];

/// Where cargo-lambda and the functions' binaries are.
#[derive(Clone, Debug)]
pub struct CargoLambda {
    /// The `cargo-lambda` program.
    pub program: PathBuf,
    /// The directory of the functions' binaries.
    pub binaries: PathBuf,
}

/// A function behind cargo-lambda.
pub(crate) struct Remote {
    client: Client<HttpConnector, Body>,
    authority: String,
    binary: String,
}

impl Remote {
    fn new(authority: String, binary: String) -> Remote {
        Remote {
            client: Client::builder(TokioExecutor::new()).build_http(),
            authority,
            binary,
        }
    }

    /// Hands a request over, whole, as Lambda does.
    pub(crate) async fn call(&self, request: Request<Body>) -> Result<Response<Body>, Unanswered> {
        let (mut parts, body) = request.into_parts();
        let body = whole(body, &parts).await?;
        let ours: Vec<_> = parts
            .headers
            .keys()
            .filter(|name| name.as_str().starts_with(RUNTIME_HEADERS))
            .cloned()
            .collect();
        for name in HOP_BY_HOP.into_iter().chain(ours) {
            parts.headers.remove(name);
        }
        // Without a type, cargo-lambda takes a body for text, and stumbles over bytes.
        if !body.is_empty() && !parts.headers.contains_key(header::CONTENT_TYPE) {
            parts.headers.insert(
                header::CONTENT_TYPE,
                header::HeaderValue::from_static("application/octet-stream"),
            );
        }
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        parts.uri = self.uri(&format!("/lambda-url/{}{path}", self.binary))?;
        let answer = self
            .client
            .request(Request::from_parts(parts, Body::from(body)))
            .await
            .map_err(failed)?;
        let (mut parts, body) = answer.into_parts();
        let length = parts
            .headers
            .get(header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse().ok());
        if length.is_some_and(|length: usize| encoded(length, false) > EVENT_BYTES)
            && parts.status != 304
        {
            return Err(Unanswered::Failed(
                "the answer is larger than Lambda lets through".to_owned(),
            ));
        }
        parts.headers.remove(header::CONNECTION);
        parts.headers.remove(header::TRANSFER_ENCODING);
        Ok(Response::from_parts(parts, Body::new(body)))
    }

    /// Hands a batch over.
    pub(crate) async fn work(&self, event: &SqsEvent) -> Result<SqsBatchResponse, Unanswered> {
        let uri = self.uri(&format!(
            "/2015-03-31/functions/{}/invocations",
            self.binary
        ))?;
        let event = serde_json::to_vec(event).map_err(failed)?;
        let request = Request::post(uri)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(event));
        let answer = self
            .client
            .request(request.map_err(failed)?)
            .await
            .map_err(failed)?;
        let status = answer.status();
        let body = http_body_util::Limited::new(answer.into_body(), BATCH_ANSWER_BYTES)
            .collect()
            .await;
        let body = body
            .map_err(|error| Unanswered::Failed(error.to_string()))?
            .to_bytes();
        if !status.is_success() {
            return Err(Unanswered::Failed(format!(
                "the invocation ended with {status}"
            )));
        }
        serde_json::from_slice(&body).map_err(failed)
    }

    fn uri(&self, path: &str) -> Result<Uri, Unanswered> {
        format!("http://{}{path}", self.authority)
            .parse()
            .map_err(failed)
    }
}

fn failed(error: impl std::fmt::Display) -> Unanswered {
    Unanswered::Failed(error.to_string())
}

/// What the names of headers begin with by which a Lambda is told of its invocation, and which no
/// client sends.
const RUNTIME_HEADERS: &str = "lambda-runtime-";

/// The whole body, where the event that holds it is one that Lambda takes.
async fn whole(body: Body, parts: &http::request::Parts) -> Result<Bytes, Unanswered> {
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
        read.extend_from_slice(&chunk.map_err(|_| Unanswered::BodyEndedEarly)?);
        if rest + encoded(read.len(), text) > EVENT_BYTES {
            return Err(Unanswered::TooLarge);
        }
    }
    if text && str::from_utf8(&read).is_err() {
        return Err(Unanswered::BodyIsNoText);
    }
    Ok(read.into())
}

/// Bytes of a body within an event: in base64, unless it is text.
fn encoded(bytes: usize, text: bool) -> usize {
    if text { bytes } else { bytes.div_ceil(3) * 4 }
}

/// Whether an HTTP API passes a body of this type on as it is.
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
    fn bytes_that_are_no_text_count_by_their_encoding() {
        assert_eq!(encoded(3, false), 4);
        assert_eq!(encoded(4, false), 8);
        assert_eq!(encoded(4, true), 4);
        // 4.4 MB of file fit, 4.8 MB do not.
        assert!(encoded(4_400_000, false) + ENVELOPE_BYTES < EVENT_BYTES);
        assert!(encoded(4_800_000, false) > EVENT_BYTES);
    }
}
