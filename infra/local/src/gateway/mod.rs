//! What stands before the functions: the HTTP API, and the CDN.
//!
//! The API takes the routes from the template and matches as an HTTP API does; the CDN has one
//! origin, and does to a request what the distribution's viewer function does.

mod body;
mod head;
mod refusal;
mod routing;

use std::sync::Arc;

use axum::body::Body;
use domain::Env;
use http::{HeaderName, Request, Response, StatusCode, header};
use percent_encoding::percent_decode_str;
use runtime::{BodyDeadlines, BodyTimer, EventSource};

use crate::{
    callee::{Callee, Unanswered},
    demo,
};

use refusal::Refusal;
pub(crate) use routing::Routing;

/// The header to which the distribution's viewer function moves a viewer's key.
const MOVED_AUTHORIZATION: HeaderName = HeaderName::from_static("x-larder-authorization");

/// One listener's gateway.
pub(crate) struct Gateway {
    behind: Behind,
    env: Env,
    body_deadlines: BodyDeadlines,
}

/// What a gateway stands before.
pub(crate) enum Behind {
    /// The routes of the HTTP API; beside them, the demo's page.
    Api(Routing),
    /// The CDN's origin.
    Cdn(Arc<Callee>),
}

impl Gateway {
    /// A gateway that names its own answers by these sources.
    pub(crate) fn new(behind: Behind, env: Env, body_deadlines: BodyDeadlines) -> Gateway {
        Gateway {
            behind,
            env,
            body_deadlines,
        }
    }

    /// Answers a request, whatever happens behind.
    pub(crate) async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let request = BodyTimer::attach(request.map(body::drained), self.body_deadlines);
        let timer = BodyTimer::of(request.extensions());

        let answer = match &self.behind {
            Behind::Api(routing) => api(routing, request).await,
            Behind::Cdn(origin) => cdn(origin, request).await,
        };
        answer.unwrap_or_else(|refusal| timer.report_timeout(refusal.into_response(&self.env)))
    }
}

async fn api(routing: &Routing, mut request: Request<Body>) -> Result<Response<Body>, Refusal> {
    head::check(&request, &head::API_LIMITS)?;
    if let Some(page) = demo::page(&request) {
        return Ok(page);
    }
    let path = percent_decode_str(request.uri().path()).decode_utf8();
    let path = path.map_err(|_| Refusal(StatusCode::BAD_REQUEST, "The path is not UTF-8."))?;
    // An HTTP API decodes the path first, and then takes what follows a question mark for the
    // query.
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let callee = routing.route(request.method().as_str(), &path);
    let callee = callee.ok_or(Refusal(StatusCode::NOT_FOUND, "Not found."))?;
    head::join_repeated(request.headers_mut());
    call(callee, EventSource::HttpApi, &path, request).await
}

async fn cdn(origin: &Callee, mut request: Request<Body>) -> Result<Response<Body>, Refusal> {
    head::check(&request, &head::CDN_LIMITS)?;
    let headers = request.headers_mut();
    head::join_repeated(headers);
    headers.remove(&MOVED_AUTHORIZATION);
    if let Some(authorization) = headers.remove(header::AUTHORIZATION) {
        headers.insert(MOVED_AUTHORIZATION, authorization);
    }
    let path = request.uri().path().to_owned();
    call(origin, EventSource::FunctionUrl, &path, request).await
}

async fn call(
    callee: &Callee,
    front: EventSource,
    path: &str,
    mut request: Request<Body>,
) -> Result<Response<Body>, Refusal> {
    let uri = front.uri(path, request.uri().query().unwrap_or_default());
    *request.uri_mut() = uri.ok_or(Refusal(
        StatusCode::BAD_REQUEST,
        "The address cannot be read.",
    ))?;
    callee.call(request).await.map_err(|unanswered| match unanswered {
        Unanswered::TooLarge => Refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            "Request Too Long: a function takes 6,291,556 bytes with the body encoded, a file of about 4.4 MB. Send larger \
             files by way of POST /api/v1/upload/presign.",
        ),
        Unanswered::BodyIsNoText => Refusal(StatusCode::BAD_REQUEST, "The body is not UTF-8."),
        Unanswered::BodyEndedEarly => Refusal(StatusCode::BAD_REQUEST, "The body ended early."),
        Unanswered::TimedOut => Refusal(StatusCode::GATEWAY_TIMEOUT, "Gateway Timeout"),
        Unanswered::Failed(reason) => {
            tracing::error!(function = callee.name(), reason, "the function did not answer");
            Refusal(StatusCode::BAD_GATEWAY, "Bad Gateway")
        }
    })
}
