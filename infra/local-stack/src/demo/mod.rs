//! `/demo`: the depths of the queues and a receiver of webhooks, which the dashboard of a local
//! stack shows. They are served on the port of the API, but are not part of the template, so they
//! are never deployed.

mod queues;
mod receiver;

use axum::body::Body;
use domain::env::Env;
use emulators::MessageCounter;
use http::{HeaderValue, Method, Request, Response, StatusCode, header, uri::Authority};
use sam_template::QueueSpec;
use serde::Serialize;

use crate::gateway::GatewayError;
use queues::WatchedQueues;
use receiver::Receiver;

/// Path of the depths of the queues.
const QUEUES_PATH: &str = "/demo/queues";
/// Path that receives webhooks.
const RECEIVER_PATH: &str = "/demo/webhooks";
/// Path of the received webhooks as JSON.
const RECEIVED_PATH: &str = "/demo/webhooks/received";
/// Hosts that only this machine can have.
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// A resource that the template does not define.
pub(crate) enum DemoResource {
    QueueDepths,
    Receiver,
    ReceivedWebhooks,
}

impl DemoResource {
    /// Returns the resource that a request is for.
    pub(crate) fn of(request: &Request<Body>) -> Option<DemoResource> {
        let path = request.uri().path();
        if request.method() == Method::POST {
            return (path == RECEIVER_PATH).then_some(DemoResource::Receiver);
        }
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return None;
        }

        match path {
            QUEUES_PATH => Some(DemoResource::QueueDepths),
            RECEIVED_PATH => Some(DemoResource::ReceivedWebhooks),
            _ => None,
        }
    }
}

/// The state of the resources.
pub(crate) struct Demo {
    queues: WatchedQueues,
    receiver: Receiver,
}

impl Demo {
    /// Creates the resources of a stack with these queues.
    pub(crate) fn new(queues: &[QueueSpec], counter: MessageCounter, env: &Env) -> Demo {
        Demo {
            queues: WatchedQueues::new(queues, counter),
            receiver: Receiver::new(env.clone()),
        }
    }

    /// Responds to a request of a resource.
    pub(crate) async fn respond(
        &self,
        resource: DemoResource,
        request: Request<Body>,
    ) -> Result<Response<Body>, GatewayError> {
        match resource {
            DemoResource::QueueDepths => {
                require_loopback_host(&request)?;
                Ok(json(&self.queues.depths().await))
            }
            DemoResource::ReceivedWebhooks => {
                require_loopback_host(&request)?;
                let query = request.uri().query().unwrap_or_default();
                Ok(json(&self.receiver.received(query)))
            }
            DemoResource::Receiver => {
                require_own_origin(&request)?;
                self.receiver.receive(request).await?;
                let mut response = Response::new(Body::empty());
                *response.status_mut() = StatusCode::NO_CONTENT;
                Ok(response)
            }
        }
    }
}

/// Fails with 421 unless the host of a request is a loopback host. A page of another host whose
/// name resolves to 127.0.0.1 (DNS rebinding) has the origin of its requests, so it could read
/// them.
fn require_loopback_host(request: &Request<Body>) -> Result<(), GatewayError> {
    let authority = request
        .headers()
        .get(header::HOST)
        .and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let is_loopback = authority.is_some_and(|authority| {
        let host = authority.host().to_ascii_lowercase();
        LOOPBACK_HOSTS.contains(&host.as_str())
    });

    if is_loopback {
        Ok(())
    } else {
        Err(GatewayError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "Open the dashboard at localhost or 127.0.0.1.",
        ))
    }
}

/// Fails with 403 if a page of another origin sent a request: browsers add `Origin` to every `POST`
/// (<https://fetch.spec.whatwg.org/#origin-header>), also to that of a form. Programs send none.
fn require_own_origin(request: &Request<Body>) -> Result<(), GatewayError> {
    let Some(origin) = request.headers().get(header::ORIGIN) else {
        return Ok(());
    };
    let host = request.headers().get(header::HOST);
    let host = host.map(HeaderValue::as_bytes).unwrap_or_default();
    if origin.as_bytes().strip_prefix(b"http://") == Some(host) {
        return require_loopback_host(request);
    }

    Err(GatewayError::new(
        StatusCode::FORBIDDEN,
        "Pages of other origins cannot send webhooks.",
    ))
}

/// Returns a JSON response that is not cached. It has no CORS headers, so scripts of other origins
/// cannot read it.
fn json(value: &impl Serialize) -> Response<Body> {
    let body = serde_json::to_vec(value).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}
