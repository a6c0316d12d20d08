//! The functions that can run in this process, by the name of their binary.

use std::collections::BTreeMap;

use axum::Router;
use runtime::{ConfigurationError, Environment};
use worker::Batch;

/// How a function is started in this process.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    /// It answers HTTP requests.
    Http(fn(&Environment) -> Result<Router, ConfigurationError>),
    /// It works through a queue's batches.
    Worker(fn(&Environment) -> Result<Batch, ConfigurationError>),
}

/// Functions by the name of their binary.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Start>);

impl Registry {
    /// Adds a function that answers HTTP requests.
    #[must_use]
    pub fn http(mut self, binary: &str, start: fn(&Environment) -> Result<Router, ConfigurationError>) -> Registry {
        self.0.insert(binary.to_owned(), Start::Http(start));
        self
    }

    /// Adds a function that works through a queue's batches.
    #[must_use]
    pub fn worker(mut self, binary: &str, start: fn(&Environment) -> Result<Batch, ConfigurationError>) -> Registry {
        self.0.insert(binary.to_owned(), Start::Worker(start));
        self
    }

    pub(crate) fn get(&self, binary: &str) -> Option<Start> {
        self.0.get(binary).copied()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
