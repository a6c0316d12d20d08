//! Errors of the gateway itself, in the format of the API.

use axum::body::Body;
use domain::env::Env;
use http::{Response, StatusCode};

/// A response that no function creates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatewayError {
    pub(crate) status: StatusCode,
    pub(crate) message: &'static str,
}

impl GatewayError {
    pub(crate) fn new(status: StatusCode, message: &'static str) -> GatewayError {
        GatewayError { status, message }
    }

    /// Returns the standard error body with a new request id.
    pub(crate) fn into_response(self, env: &Env) -> Response<Body> {
        runtime::http::error_response(self.status, self.message, env)
    }
}
