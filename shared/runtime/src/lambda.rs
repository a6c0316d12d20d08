//! HTTP requests as Lambda hands them over, and answers as it takes them: whole.
//!
//! Invariant: an answer's bytes arrive as the function gave them, whatever their type says.

use std::{convert::Infallible, pin::Pin};

use axum::{Router, body::Body, extract::Request};
use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt as _, Full};
use lambda_http::{RequestExt as _, request::RequestContext};
use tower::ServiceExt as _;

use crate::{EventSource, Observer, Viewer, deadline::in_time, refusal::busy};

/// Answers invocations until the process is ended.
pub(crate) async fn serve(
    front: EventSource,
    router: Router,
    observer: Observer,
) -> Result<(), lambda_runtime::Error> {
    let service = tower::service_fn(move |request: lambda_http::Request| {
        let router = router.clone();
        let observer = observer.clone();
        async move {
            let respond = |request| in_time(whole(router.oneshot(request)));
            Ok::<_, Infallible>(Whole(
                observer.observe(as_sent(front, request), respond).await,
            ))
        }
    });
    lambda_http::run(service).await
}

/// The request as its viewer sent it, and who that is.
fn as_sent(front: EventSource, request: lambda_http::Request) -> Request {
    let viewer = viewer(&request);
    let raw_path = request.raw_http_path().to_owned();
    let uri = front.uri(&raw_path, request.uri().query().unwrap_or_default());
    let mut request = request.map(Body::new);
    if let Some(uri) = uri {
        *request.uri_mut() = uri;
    }
    if let Some(viewer) = viewer {
        request.extensions_mut().insert(viewer);
    }
    request
}

/// The viewer that the event names, in its context, which is the platform's own.
fn viewer(request: &lambda_http::Request) -> Option<Viewer> {
    let RequestContext::ApiGatewayV2(context) = request.request_context_ref()? else {
        return None;
    };
    context
        .http
        .source_ip
        .as_deref()?
        .parse()
        .ok()
        .map(Viewer::told)
}

/// The answer with its body read to the end; our 503 where that fails.
async fn whole(
    answer: impl Future<Output = Result<Response<Body>, Infallible>>,
) -> Response<Full<Bytes>> {
    let Ok(response) = answer.await;
    let (parts, body) = response.into_parts();
    match body.collect().await {
        Ok(read) => Response::from_parts(parts, Full::new(read.to_bytes())),
        Err(error) => busy(format!("the answer ended early: {error}")),
    }
}

/// An answer that goes out in base64. `lambda_http` itself would decode what its type calls text,
/// and so change bytes that are no UTF-8, or only a part of it.
struct Whole(Response<Full<Bytes>>);

impl lambda_http::IntoResponse for Whole {
    fn into_response(self) -> Pin<Box<dyn Future<Output = Response<lambda_http::Body>> + Send>> {
        Box::pin(async move {
            let (parts, body) = self.0.into_parts();
            let Ok(body) = body.collect().await;
            let bytes = body.to_bytes();
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

    async fn answered(body: Body) -> Response<lambda_http::Body> {
        let answer = Response::builder()
            .header("content-type", "text/plain; charset=utf-8")
            .body(body)
            .unwrap();
        Whole(whole(async { Ok(answer) }).await)
            .into_response()
            .await
    }

    #[test]
    fn a_viewer_is_whom_the_event_names_whatever_the_headers_say() {
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
            let request = lambda_http::request::from_str(&event.to_string()).unwrap();
            Viewer::of(as_sent(EventSource::HttpApi, request).extensions()).ok()
        };
        assert_eq!(
            viewer("203.0.113.7".into()),
            Some(Viewer::told([203, 0, 113, 7].into()))
        );
        assert_eq!(viewer("somebody".into()), None);
        assert_eq!(viewer(serde_json::Value::Null), None);
    }

    #[tokio::test]
    async fn bytes_stay_what_they_are_and_a_body_that_breaks_is_our_503() {
        for bytes in [&b"\xef\xbb\xbfmarked"[..], b"caf\xe9", b"\xa9"] {
            let answer = answered(Body::from(bytes)).await;
            assert_eq!(
                (answer.status().as_u16(), answer.body()),
                (200, &lambda_http::Body::Binary(bytes.to_vec()))
            );
        }
        assert_eq!(
            answered(Body::empty()).await.body(),
            &lambda_http::Body::Empty
        );
        let broken =
            futures::stream::iter([Ok("half"), Err(std::io::Error::other("storage ended"))]);
        assert_eq!(
            answered(Body::from_stream(broken)).await.status().as_u16(),
            503
        );
    }
}
