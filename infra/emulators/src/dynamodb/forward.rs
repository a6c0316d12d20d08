//! Forwards requests to the engine over loopback.

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

use super::tables::Tables;

/// An HTTP client of the engine.
#[derive(Clone)]
pub(crate) struct Forwarder {
    client: Client<HttpConnector, Full<Bytes>>,
    engine: SocketAddr,
    pub(crate) tables: Tables,
}

impl Forwarder {
    pub(super) fn to(engine: SocketAddr, tables: Tables) -> Forwarder {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Forwarder {
            client: Client::builder(TokioExecutor::new()).build(connector),
            engine,
            tables,
        }
    }

    /// Returns the response of the engine, or a 500 if the engine does not respond.
    pub(crate) async fn send(&self, head: Parts, body: Bytes) -> Response<Body> {
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let Ok(uri) = Uri::builder()
            .scheme("http")
            .authority(self.engine.to_string())
            .path_and_query(path)
            .build()
        else {
            return internal_error();
        };

        let mut request = Request::from_parts(head, Full::new(body));
        *request.uri_mut() = uri;
        // They describe the connection to the proxy, and a split batch has a different body.
        for header in [HOST, CONTENT_LENGTH, TRANSFER_ENCODING] {
            request.headers_mut().remove(header);
        }

        match self.client.request(request).await {
            Ok(response) => response.map(Body::new),
            Err(_) => internal_error(),
        }
    }
}

fn internal_error() -> Response<Body> {
    let body = r#"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The DynamoDB engine did not respond."}"#;
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    response
}
