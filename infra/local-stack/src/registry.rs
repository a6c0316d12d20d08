//! The functions that can run in this process, by binary name.

use std::{collections::BTreeMap, sync::Arc};

use axum::Router;
use runtime::context::{ConfigurationError, FunctionContext};
use worker::BatchHandler;

/// Creates a handler from a context.
type Starter<T> = Arc<dyn Fn(&FunctionContext) -> Result<T, ConfigurationError> + Send + Sync>;

/// Starts a function in this process.
#[derive(Clone)]
pub(crate) enum Start {
    /// A function that serves HTTP requests.
    Http(Starter<Router>),
    /// A worker that processes batches of messages.
    Worker(Starter<BatchHandler>),
}

/// Functions by binary name.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Start>);

impl Registry {
    /// Adds a function that serves HTTP requests.
    #[must_use]
    pub fn http(
        mut self,
        binary: &str,
        start: impl Fn(&FunctionContext) -> Result<Router, ConfigurationError> + Send + Sync + 'static,
    ) -> Registry {
        self.0
            .insert(binary.to_owned(), Start::Http(Arc::new(start)));
        self
    }

    /// Adds a worker that processes batches of messages.
    #[must_use]
    pub fn worker(
        mut self,
        binary: &str,
        start: impl Fn(&FunctionContext) -> Result<BatchHandler, ConfigurationError>
        + Send
        + Sync
        + 'static,
    ) -> Registry {
        self.0
            .insert(binary.to_owned(), Start::Worker(Arc::new(start)));
        self
    }

    pub(crate) fn get(&self, binary: &str) -> Option<&Start> {
        self.0.get(binary)
    }

    /// Iterates over the binary names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
