//! The functions that can run in this process, by the name of their binary.

use std::{collections::BTreeMap, sync::Arc};

use axum::Router;
use runtime::{ConfigurationError, Environment};
use worker::BatchHandler;

/// How something is started with an environment.
type Starter<T> = Arc<dyn Fn(&Environment) -> Result<T, ConfigurationError> + Send + Sync>;

/// How a function is started in this process.
#[derive(Clone)]
pub(crate) enum Start {
    /// It answers HTTP requests.
    Http(Starter<Router>),
    /// It works through a queue's batches.
    Worker(Starter<BatchHandler>),
}

/// Functions by the name of their binary.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Start>);

impl Registry {
    /// Adds a function that answers HTTP requests.
    #[must_use]
    pub fn http(
        mut self,
        binary: &str,
        start: impl Fn(&Environment) -> Result<Router, ConfigurationError> + Send + Sync + 'static,
    ) -> Registry {
        self.0
            .insert(binary.to_owned(), Start::Http(Arc::new(start)));
        self
    }

    /// Adds a function that works through a queue's batches.
    #[must_use]
    pub fn worker(
        mut self,
        binary: &str,
        start: impl Fn(&Environment) -> Result<BatchHandler, ConfigurationError> + Send + Sync + 'static,
    ) -> Registry {
        self.0
            .insert(binary.to_owned(), Start::Worker(Arc::new(start)));
        self
    }

    pub(crate) fn get(&self, binary: &str) -> Option<&Start> {
        self.0.get(binary)
    }

    /// The functions' binaries.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
