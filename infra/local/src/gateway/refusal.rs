//! What the gateway answers by itself, in the API's own form.

use axum::body::Body;
use domain::Env;
use http::{Response, StatusCode};

/// A refusal: its status, and what it says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal(pub(crate) StatusCode, pub(crate) &'static str);

impl Refusal {
    /// The refusal in the standard body, with a request id of its own.
    pub(crate) fn into_response(self, env: &Env) -> Response<Body> {
        runtime::error_response(self.0, self.1, env)
    }
}
