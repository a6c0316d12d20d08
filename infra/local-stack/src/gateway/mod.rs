//! The HTTP API and the CDN in front of the functions.
//!
//! The HTTP API matches requests against the routes of the template. The CDN changes requests to
//! its function as the distribution's viewer function does, and has a second origin for objects.

mod accept;
mod body;
mod error;
mod head;
mod objects;
mod routing;
mod signed_url;

use std::sync::Arc;

use axum::body::Body;
use domain::{env::Env, naming::HostPattern};
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use percent_encoding::percent_decode_str;
use runtime::http::{BodyDeadlines, BodyTimer, EventSource};

use crate::{
    demo::{Demo, DemoResource},
    function::LocalFunction,
    invoke_error::InvokeError,
};

pub use accept::reduced_accept;
pub(crate) use error::GatewayError;
pub(crate) use objects::ObjectOrigin;
pub(crate) use routing::Routing;

/// The header that receives `Authorization` from the distribution's viewer function.
const MOVED_AUTHORIZATION: HeaderName = HeaderName::from_static("x-larder-authorization");
/// The header in which the viewer function sends the scheme and host of a request.
const VIEWER_ORIGIN: HeaderName = HeaderName::from_static("x-larder-origin");

/// The gateway of one listener.
pub(crate) struct Gateway {
    upstream: Upstream,
    env: Env,
    body_deadlines: BodyDeadlines,
}

/// The destination of a gateway's requests.
pub(crate) enum Upstream {
    /// The routes of the HTTP API, and what the dashboard of a local stack shows.
    Api(ApiOrigins),
    /// The origins of the CDN.
    Cdn(CdnOrigins),
}

/// The origins on the port of the API.
pub(crate) struct ApiOrigins {
    pub(crate) routing: Routing,
    pub(crate) demo: Demo,
}

/// The origins of the CDN.
pub(crate) struct CdnOrigins {
    /// Origin of the default behavior.
    function: Arc<LocalFunction>,
    /// Origin of the behavior for objects, if the distribution has one.
    objects: Option<Box<ObjectOrigin>>,
    /// Alternate domain names of the distribution.
    aliases: Vec<HostPattern>,
}

impl CdnOrigins {
    pub(crate) fn new(
        function: Arc<LocalFunction>,
        objects: Option<Box<ObjectOrigin>>,
        aliases: &[String],
    ) -> CdnOrigins {
        let aliases = aliases
            .iter()
            .filter_map(|alias| HostPattern::parse(alias).ok())
            .collect();
        CdnOrigins {
            function,
            objects,
            aliases,
        }
    }
}

impl Gateway {
    /// Creates a gateway. `env` provides the request ids of gateway errors.
    pub(crate) fn new(upstream: Upstream, env: Env, body_deadlines: BodyDeadlines) -> Gateway {
        Gateway {
            upstream,
            env,
            body_deadlines,
        }
    }

    /// Forwards a request. Creates the response itself if the function does not.
    pub(crate) async fn respond(&self, request: Request<Body>) -> Response<Body> {
        let request = BodyTimer::attach(request.map(body::drained), self.body_deadlines);
        let timer = BodyTimer::of(request.extensions());

        let response = match &self.upstream {
            Upstream::Api(origins) => api(origins, request).await,
            Upstream::Cdn(origins) => cdn(origins, request).await,
        };
        response.unwrap_or_else(|error| timer.report_timeout(error.into_response(&self.env)))
    }
}

async fn api(
    origins: &ApiOrigins,
    mut request: Request<Body>,
) -> Result<Response<Body>, GatewayError> {
    head::check(&request, &head::API_LIMITS)?;
    if let Some(resource) = DemoResource::of(&request) {
        return origins.demo.respond(resource, request).await;
    }

    let decoded = percent_decode_str(request.uri().path())
        .decode_utf8()
        .map_err(|_| GatewayError::new(StatusCode::BAD_REQUEST, "The path is not UTF-8."))?;
    // An HTTP API decodes the path before it separates the query.
    let path = decoded.split('?').next().unwrap_or_default().to_owned();
    let function = origins
        .routing
        .route(request.method().as_str(), &path)
        .ok_or(GatewayError::new(StatusCode::NOT_FOUND, "Not found."))?;

    head::join_repeated(request.headers_mut());
    call(function, EventSource::HttpApi, &path, request).await
}

async fn cdn(
    origins: &CdnOrigins,
    mut request: Request<Body>,
) -> Result<Response<Body>, GatewayError> {
    head::check(&request, &head::CDN_LIMITS)?;
    head::require_host(request.headers(), &origins.aliases)?;
    let path = request.uri().path().to_owned();
    let viewer_origin = viewer_origin(&request);
    if let Some(objects) = origins
        .objects
        .as_ref()
        .filter(|objects| objects.matches(&path))
    {
        return objects.respond(&viewer_origin, request).await;
    }

    let headers = request.headers_mut();
    head::join_repeated(headers);
    headers.remove(&MOVED_AUTHORIZATION);
    if let Some(authorization) = headers.remove(header::AUTHORIZATION) {
        headers.insert(MOVED_AUTHORIZATION, authorization);
    }
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    if let Ok(reduced) = HeaderValue::from_str(&reduced_accept(accept.unwrap_or_default())) {
        headers.insert(header::ACCEPT, reduced);
    }
    if let Ok(value) = HeaderValue::from_str(&viewer_origin) {
        headers.insert(VIEWER_ORIGIN, value);
    }
    call(&origins.function, EventSource::FunctionUrl, &path, request).await
}

/// Returns the scheme and host of a request.
fn viewer_origin(request: &Request<Body>) -> String {
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("http://{host}")
}

async fn call(
    function: &LocalFunction,
    source: EventSource,
    path: &str,
    mut request: Request<Body>,
) -> Result<Response<Body>, GatewayError> {
    let uri = source.uri(path, request.uri().query().unwrap_or_default());
    *request.uri_mut() = uri.ok_or(GatewayError::new(
        StatusCode::BAD_REQUEST,
        "The URL is not valid.",
    ))?;

    let method = request.method().clone();
    let called = function.call(request).await;
    let mut response = called.map_err(|error| match error {
        InvokeError::TooLarge => GatewayError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "Request Too Long: Lambda accepts 6,291,556 bytes with the encoded body, a file of about 4.4 MB. Upload larger \
             files with POST /api/v1/upload/presign.",
        ),
        InvokeError::BodyNotUtf8 => GatewayError::new(StatusCode::BAD_REQUEST, "The body is not UTF-8."),
        InvokeError::BodyEndedEarly => GatewayError::new(StatusCode::BAD_REQUEST, "The body ended early."),
        InvokeError::TimedOut => GatewayError::new(StatusCode::GATEWAY_TIMEOUT, "Gateway Timeout"),
        InvokeError::Failed(reason) => {
            tracing::error!(function = function.name(), reason, "the invocation failed");
            GatewayError::new(StatusCode::BAD_GATEWAY, "Bad Gateway")
        }
    })?;
    head::rename_reserved(&method, response.headers_mut());
    Ok(response)
}
