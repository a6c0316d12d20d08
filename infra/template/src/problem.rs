//! What is wrong with a template, and on which line.
//!
//! Invariant: a template with a problem is never run. Problems are collected, so that one start
//! shows all of them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::{fmt, slice};

/// How the file is called in messages.
const FILE_NAME: &str = "template.yaml";

/// More problems than this tell nobody anything new.
const MAX_PROBLEMS: usize = 100;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where, counted from 1.
    pub line: usize,
    /// What.
    pub message: String,
}

/// All that is wrong with a template, by line; at least one problem, at most 100.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// The problems, by line.
    pub fn iter(&self) -> slice::Iter<'_, Problem> {
        self.0.iter()
    }
}

impl<'problems> IntoIterator for &'problems Problems {
    type Item = &'problems Problem;
    type IntoIter = slice::Iter<'problems, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            write!(
                formatter,
                "{separator}{FILE_NAME}:{}: {}",
                problem.line, problem.message
            )?;
        }
        Ok(())
    }
}

/// Where problems go while a template is read. A set: what is looked at twice is told once.
#[derive(Debug, Default)]
pub(crate) struct Report(RefCell<BTreeSet<Problem>>);

impl Report {
    /// A report that begins with problems found before.
    pub(crate) fn with(found: Option<&Problems>) -> Report {
        Report(RefCell::new(found.into_iter().flatten().cloned().collect()))
    }

    pub(crate) fn add(&self, line: usize, message: impl Into<String>) {
        let mut problems = self.0.borrow_mut();
        if problems.len() < MAX_PROBLEMS {
            problems.insert(Problem {
                line,
                message: message.into(),
            });
        }
    }

    /// `value`, if nothing was wrong.
    pub(crate) fn finish<T>(&self, value: T) -> Result<T, Problems> {
        let problems = self.0.borrow();
        if problems.is_empty() {
            Ok(value)
        } else {
            Err(Problems(problems.iter().cloned().collect()))
        }
    }
}
