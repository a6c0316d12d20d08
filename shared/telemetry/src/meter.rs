//! How the tasks of one function are measured.

use std::sync::Arc;

use domain::Env;
use tracing::field::Empty;

use crate::{Task, task::Id};

/// Begins the tasks of one function. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Meter(pub(crate) Arc<Function>);

/// A function as it is measured.
#[derive(Debug)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// The namespace of its metrics.
    pub(crate) namespace: String,
    /// Whether requests are counted by route and class of status too.
    pub(crate) counts_routes: bool,
    pub(crate) env: Env,
}

impl Meter {
    /// Returns the meter of the function of this name, whose metrics are in this namespace.
    /// `counts_routes` says whether they count requests by route and class of status too.
    pub fn new(name: &str, namespace: &str, counts_routes: bool, env: Env) -> Meter {
        let name = name.to_owned();
        let namespace = namespace.to_owned();
        Meter(Arc::new(Function {
            name,
            namespace,
            counts_routes,
            env,
        }))
    }

    /// Begins a request. The span has the level `error`, so that no log level leaves it out.
    pub fn request(&self, request_id: &str, method: &str, path: String) -> Task {
        let function = &self.0.name;
        let span = tracing::error_span!(
            "request",
            function,
            request_id,
            method,
            route = Empty,
            space_id = Empty
        );
        Task::begin(
            self.clone(),
            span,
            Id::Request {
                id: request_id.to_owned(),
                path,
            },
        )
    }

    /// Begins a job.
    pub fn job(&self, message_id: &str) -> Task {
        let function = &self.0.name;
        let span = tracing::error_span!("job", function, message_id, space_id = Empty);
        Task::begin(self.clone(), span, Id::Message(message_id.to_owned()))
    }
}
