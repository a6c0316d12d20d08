//! Hands requests to the engine over loopback.

use std::net::SocketAddr;

use axum::body::Body;
use bytes::Bytes;
use http::{
    Request, Response, StatusCode, Uri,
    header::{CONTENT_LENGTH, HOST, TRANSFER_ENCODING},
    request::Parts,
};
use http_body_util::Full;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};

/// Hands requests to the engine.
#[derive(Clone)]
pub(crate) struct Forwarder {
    client: Client<HttpConnector, Full<Bytes>>,
    engine: SocketAddr,
}

impl Forwarder {
    pub(super) fn to(engine: SocketAddr) -> Forwarder {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Forwarder {
            client: Client::builder(TokioExecutor::new()).build(connector),
            engine,
        }
    }

    /// The engine's answer; a 500 where it gave none.
    pub(crate) async fn send(&self, head: Parts, body: Bytes) -> Response<Body> {
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let Ok(uri) = Uri::builder()
            .scheme("http")
            .authority(self.engine.to_string())
            .path_and_query(path)
            .build()
        else {
            return failure();
        };
        let mut request = Request::from_parts(head, Full::new(body));
        *request.uri_mut() = uri;
        // They speak of the connection to the proxy, and the body may be another.
        for header in [HOST, CONTENT_LENGTH, TRANSFER_ENCODING] {
            request.headers_mut().remove(header);
        }
        self.client
            .request(request)
            .await
            .map_or_else(|_| failure(), |answer| answer.map(Body::new))
    }
}

fn failure() -> Response<Body> {
    let body = r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The engine gave no answer."}"#;
    let mut answer = Response::new(Body::from(body));
    *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    answer
}
