//! Errors in a template, with their lines.
//!
//! Invariants:
//! - A template with an error is never run.
//! - Errors are collected, so that one start shows all of them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::{fmt, slice};

/// Name of the file in messages.
const FILE_NAME: &str = "template.yaml";

/// Maximum number of diagnostics of one run.
const MAX_DIAGNOSTICS: usize = 100;

/// An error in a template.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// Line number, starting at 1.
    pub line: usize,
    /// Description without the line.
    pub message: String,
}

/// The errors in a template, ordered by line: 1 to 100.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Iterates over the diagnostics, ordered by line.
    pub fn iter(&self) -> slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }
}

impl<'diagnostics> IntoIterator for &'diagnostics Diagnostics {
    type Item = &'diagnostics Diagnostic;
    type IntoIter = slice::Iter<'diagnostics, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, diagnostic) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            write!(
                formatter,
                "{separator}{FILE_NAME}:{}: {}",
                diagnostic.line, diagnostic.message
            )?;
        }
        Ok(())
    }
}

/// Collects the errors of one run. A set, because parts of a template are read more than once.
#[derive(Debug, Default)]
pub(crate) struct Report(RefCell<BTreeSet<Diagnostic>>);

impl Report {
    /// Creates a report that contains earlier diagnostics.
    pub(crate) fn with(found: Option<&Diagnostics>) -> Report {
        Report(RefCell::new(found.into_iter().flatten().cloned().collect()))
    }

    pub(crate) fn add(&self, line: usize, message: impl Into<String>) {
        let mut diagnostics = self.0.borrow_mut();
        if diagnostics.len() < MAX_DIAGNOSTICS {
            diagnostics.insert(Diagnostic {
                line,
                message: message.into(),
            });
        }
    }

    /// Returns `value` if no error was reported, else all errors.
    pub(crate) fn finish<T>(&self, value: T) -> Result<T, Diagnostics> {
        let diagnostics = self.0.borrow();
        if diagnostics.is_empty() {
            Ok(value)
        } else {
            Err(Diagnostics(diagnostics.iter().cloned().collect()))
        }
    }
}
