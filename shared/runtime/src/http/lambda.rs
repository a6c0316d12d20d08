//! HTTP invocations of a Lambda function.
//!
//! Invariant: every non-empty body is sent in base64, so its bytes reach the client unchanged
//! for any content type.

use std::{convert::Infallible, pin::Pin};

use axum::{Router, body::Body, extract::Request};
use bytes::Bytes;
use domain::errors::error_chain;
use http::Response;
use http_body_util::{BodyExt as _, Full};
use lambda_http::{RequestExt as _, request::RequestContext};
use tower::ServiceExt as _;

use crate::http::{
    EventSource, Observer, Viewer, deadline::respond_in_time, error_response::service_unavailable,
};

/// Handles invocations until the process ends.
pub(crate) async fn serve(
    event_source: EventSource,
    router: Router,
    observer: Observer,
) -> Result<(), lambda_runtime::Error> {
    let service = tower::service_fn(move |event: lambda_http::Request| {
        let router = router.clone();
        let observer = observer.clone();
        async move {
            let request = viewer_request(event_source, event);
            let respond = |request| respond_in_time(buffer_body(router.oneshot(request)));
            let response = observer.observe(request, respond).await;
            Ok::<_, Infallible>(BinaryResponse(response))
        }
    });
    lambda_http::run(service).await
}

/// Returns the request with the path that the viewer sent, and the [`Viewer`] in its extensions.
fn viewer_request(event_source: EventSource, event: lambda_http::Request) -> Request {
    let viewer = event_viewer(&event);
    let raw_path = event.raw_http_path().to_owned();
    let uri = event_source.uri(&raw_path, event.uri().query().unwrap_or_default());

    let mut request = event.map(Body::new);
    if let Some(uri) = uri {
        *request.uri_mut() = uri;
    }
    if let Some(viewer) = viewer {
        request.extensions_mut().insert(viewer);
    }
    request
}

/// Returns the viewer from the event's request context, which only AWS writes.
fn event_viewer(event: &lambda_http::Request) -> Option<Viewer> {
    let RequestContext::ApiGatewayV2(context) = event.request_context_ref()? else {
        return None;
    };
    let source_ip = context.http.source_ip.as_deref()?;
    source_ip.parse().ok().map(Viewer::of_event)
}

/// Reads the body of a response. A body that fails is a 503.
async fn buffer_body(
    response: impl Future<Output = Result<Response<Body>, Infallible>>,
) -> Response<Full<Bytes>> {
    let Ok(response) = response.await;
    let (parts, body) = response.into_parts();
    match body.collect().await {
        Ok(read) => Response::from_parts(parts, Full::new(read.to_bytes())),
        Err(error) => {
            let cause = error_chain(&error);
            service_unavailable(format!("the response body ended early: {cause}"))
        }
    }
}

/// A response whose body is sent in base64. `lambda_http` decodes bodies of text types as UTF-8,
/// which changes other bytes.
struct BinaryResponse(Response<Full<Bytes>>);

impl lambda_http::IntoResponse for BinaryResponse {
    fn into_response(self) -> Pin<Box<dyn Future<Output = Response<lambda_http::Body>> + Send>> {
        Box::pin(async move {
            let (parts, body) = self.0.into_parts();
            let Ok(collected) = body.collect().await;
            let bytes = collected.to_bytes();
            let body = if bytes.is_empty() {
                lambda_http::Body::Empty
            } else {
                lambda_http::Body::Binary(bytes.into())
            };
            Response::from_parts(parts, body)
        })
    }
}

#[cfg(test)]
mod tests {
    use lambda_http::IntoResponse as _;

    use super::*;

    async fn send(body: Body) -> Response<lambda_http::Body> {
        let response = Response::builder()
            .header("content-type", "text/plain; charset=utf-8")
            .body(body)
            .unwrap();
        BinaryResponse(buffer_body(async { Ok(response) }).await)
            .into_response()
            .await
    }

    #[test]
    fn viewer_is_the_source_ip_of_the_event() {
        let viewer = |source_ip: serde_json::Value| {
            let headers = [
                ("x-forwarded-for", "192.0.2.1"),
                ("forwarded", "for=192.0.2.1"),
                ("host", "127.0.0.1"),
            ];
            let event = serde_json::json!({
                "version": "2.0", "rawPath": "/", "headers": std::collections::BTreeMap::from(headers),
                "requestContext": { "http": { "method": "GET", "path": "/", "sourceIp": source_ip } },
            });
            let event = lambda_http::request::from_str(&event.to_string()).unwrap();
            Viewer::of(viewer_request(EventSource::HttpApi, event).extensions()).ok()
        };

        assert_eq!(
            viewer("203.0.113.7".into()),
            Some(Viewer::of_event([203, 0, 113, 7].into()))
        );
        assert_eq!(viewer("invalid".into()), None);
        assert_eq!(viewer(serde_json::Value::Null), None);
    }

    #[tokio::test]
    async fn bytes_of_a_body_are_sent_unchanged() {
        for bytes in [&b"\xef\xbb\xbfmarked"[..], b"caf\xe9", b"\xa9"] {
            let response = send(Body::from(bytes)).await;
            assert_eq!(response.status().as_u16(), 200);
            assert_eq!(response.body(), &lambda_http::Body::Binary(bytes.to_vec()));
        }
        assert_eq!(send(Body::empty()).await.body(), &lambda_http::Body::Empty);
    }

    #[derive(Debug, thiserror::Error)]
    #[error("the bucket is busy")]
    struct Busy(#[source] std::io::Error);

    #[tokio::test]
    async fn body_that_fails_returns_503_with_its_causes() {
        let busy = Busy(std::io::Error::other("connection reset"));
        let failing = Body::from_stream(futures::stream::iter([Ok("half"), Err(busy)]));

        let response = buffer_body(async { Ok(Response::new(failing)) }).await;

        assert_eq!(response.status().as_u16(), 503);
        let cause = response.extensions().get::<crate::http::ErrorCause>();
        assert_eq!(
            cause.map(|cause| cause.text.as_str()),
            Some("the response body ended early: the bucket is busy: connection reset")
        );
    }
}
