//! Configuration that a function starts with.

use std::{collections::BTreeMap, sync::Arc};

use aws_credential_types::provider::SharedCredentialsProvider;
use domain::env::Env;
use queue::{Job, Queue};
use telemetry::Meter;
use worker::{BatchHandler, BatchSettings, Worker};

use crate::context::served_queue::JobQueue;

/// Namespace of metrics if `METRICS_NAMESPACE` is not set.
const DEFAULT_NAMESPACE: &str = "Larder";

/// Name, variables, clock and random source of one function.
#[derive(Clone)]
pub struct FunctionContext {
    /// Name of the function's binary, the same in every deployment.
    pub function: String,
    /// Environment variables, set by the template and by the Lambda runtime.
    pub variables: BTreeMap<String, String>,
    /// Clock and random source.
    pub env: Env,
    /// Credentials of a function that runs in a container, unless its variables have some.
    pub(crate) container_credentials: Option<SharedCredentialsProvider>,
}

impl FunctionContext {
    /// Returns the context of a function that has its credentials in its variables.
    pub fn new(function: &str, variables: BTreeMap<String, String>, env: Env) -> FunctionContext {
        FunctionContext {
            function: function.to_owned(),
            variables,
            env,
            container_credentials: None,
        }
    }

    /// Returns the meter of the function's tasks. `METRICS_NAMESPACE` is the namespace of its
    /// metric.
    pub fn meter(&self) -> Meter {
        let namespace = self.variables.get("METRICS_NAMESPACE");
        let namespace = namespace.map_or(DEFAULT_NAMESPACE, String::as_str);
        Meter::new(&self.function, namespace, self.env.clone())
    }

    /// Returns the handler of a worker that serves a queue.
    pub fn batch_handler<W: Worker>(&self, worker: W, queue: Queue<W::Job>) -> BatchHandler
    where
        W::Job: Job + 'static,
    {
        let settings = BatchSettings {
            queue: Arc::new(JobQueue(queue)),
            meter: self.meter(),
            env: self.env.clone(),
        };
        BatchHandler::of(worker, settings)
    }
}
