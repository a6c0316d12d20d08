//! Creates the tasks of one function.

use std::sync::Arc;

use domain::env::Env;
use tracing::field::Empty;

use crate::{Task, task::TaskId};

/// Creates the tasks of one function. Clones share its configuration.
#[derive(Clone, Debug)]
pub struct Meter(pub(crate) Arc<MeteredFunction>);

/// Configuration of a function's metrics.
#[derive(Debug)]
pub(crate) struct MeteredFunction {
    pub(crate) name: String,
    /// Namespace of the metric of failed jobs.
    pub(crate) namespace: String,
    pub(crate) env: Env,
}

impl Meter {
    /// Returns the meter of a function.
    pub fn new(name: &str, namespace: &str, env: Env) -> Meter {
        Meter(Arc::new(MeteredFunction {
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            env,
        }))
    }

    /// Starts the task of a request. Its span has the level `error`, so that every log level
    /// includes it.
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

        let id = TaskId::Request {
            id: request_id.to_owned(),
            method: method.to_owned(),
            path,
        };

        Task::start(self.clone(), span, id)
    }

    /// Starts the task of a job.
    pub fn job(&self, message_id: &str) -> Task {
        let function = &self.0.name;
        let span = tracing::error_span!("job", function, message_id, space_id = Empty);
        Task::start(self.clone(), span, TaskId::Message(message_id.to_owned()))
    }
}
