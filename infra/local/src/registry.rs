//! The functions that can run in this process, by the name of their binary.

use std::{collections::BTreeMap, sync::Arc};

use axum::Router;
use futures::future::BoxFuture;
use runtime::{ConfigurationError, Environment};
use worker::Batch;

/// How something is started with an environment.
type Starter<T> = Arc<dyn Fn(Environment) -> BoxFuture<'static, Result<T, ConfigurationError>> + Send + Sync>;

/// How a function is started in this process.
#[derive(Clone)]
pub(crate) enum Start {
    /// It answers HTTP requests.
    Http(Starter<Router>),
    /// It works through a queue's batches.
    Worker(Starter<Batch>),
}

/// Functions by the name of their binary.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Start>);

impl Registry {
    /// Adds a function that answers HTTP requests.
    #[must_use]
    pub fn http<F>(mut self, binary: &str, start: impl Fn(Environment) -> F + Send + Sync + 'static) -> Registry
    where
        F: Future<Output = Result<Router, ConfigurationError>> + Send + 'static,
    {
        let start = Start::Http(Arc::new(move |environment| Box::pin(start(environment))));
        self.0.insert(binary.to_owned(), start);
        self
    }

    /// Adds a function that works through a queue's batches.
    #[must_use]
    pub fn worker<F>(mut self, binary: &str, start: impl Fn(Environment) -> F + Send + Sync + 'static) -> Registry
    where
        F: Future<Output = Result<Batch, ConfigurationError>> + Send + 'static,
    {
        let start = Start::Worker(Arc::new(move |environment| Box::pin(start(environment))));
        self.0.insert(binary.to_owned(), start);
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
