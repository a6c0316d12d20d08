//! Evaluates the `Conditions` section.
//!
//! Invariants:
//! - A condition depends on parameters and other conditions only, without cycles.
//! - Each condition is evaluated once.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::context::Context;
use crate::diagnostic::Report;
use crate::node::{Intrinsic, Node, NodeValue};
use crate::parameters::Values;
use crate::resolve::resolve;
use crate::scope::{Conditions, Scope};

/// Maximum nesting of conditions.
const MAX_NESTING: usize = 20;

/// Evaluates every condition of the section.
pub(crate) fn evaluate(
    section: Option<&Node>,
    context: &Context,
    parameters: &Values,
    report: &Report,
) -> Conditions {
    let Some(section) = section else {
        return Conditions::default();
    };
    let Some(entries) = section.map() else {
        report.add(section.line, "Conditions must be a mapping");
        return Conditions::default();
    };

    let none = Conditions::default();
    let scope = Scope::of_parameters(context, parameters, &none, report);
    let evaluator = Evaluator {
        section,
        scope,
        values: RefCell::default(),
    };

    for entry in entries {
        // A condition that failed is already reported. `false` avoids a second diagnostic where it
        // is used.
        let value = evaluator
            .evaluate(&entry.key, &entry.node, 0)
            .unwrap_or(false);
        evaluator
            .values
            .borrow_mut()
            .insert(entry.key.clone(), value);
    }

    evaluator.values.into_inner()
}

struct Evaluator<'run> {
    section: &'run Node,
    scope: Scope<'run>,
    /// Values of the conditions that are evaluated so far.
    values: RefCell<BTreeMap<String, bool>>,
}

impl Evaluator<'_> {
    fn evaluate(&self, name: &str, condition: &Node, nesting: usize) -> Option<bool> {
        let value = self.values.borrow().get(name).copied();
        if value.is_some() {
            return value;
        }

        let holds = self.holds(condition, nesting)?;
        self.values.borrow_mut().insert(name.to_owned(), holds);
        Some(holds)
    }

    /// Returns `None` after an error was reported.
    fn holds(&self, node: &Node, nesting: usize) -> Option<bool> {
        if nesting > MAX_NESTING {
            return self.fail(node, "conditions form a cycle or are nested too deeply");
        }

        match &node.value {
            NodeValue::Call(Intrinsic::Equals, argument) => self.equals(argument),
            NodeValue::Call(Intrinsic::And, argument) => {
                Some(self.each(argument, nesting)?.iter().all(|holds| *holds))
            }
            NodeValue::Call(Intrinsic::Or, argument) => {
                Some(self.each(argument, nesting)?.iter().any(|holds| *holds))
            }
            NodeValue::Call(Intrinsic::Not, argument) => {
                match self.each(argument, nesting)?.as_slice() {
                    [holds] => Some(!holds),
                    _ => self.fail(argument, "!Not takes one condition"),
                }
            }
            NodeValue::Call(Intrinsic::Condition, name) => self.named(name, nesting),
            NodeValue::Map(entries) => match entries.as_slice() {
                [entry] if entry.key == "Condition" => self.named(&entry.node, nesting),
                _ => self.fail(
                    node,
                    "a condition must be a function that returns true or false",
                ),
            },
            _ => self.fail(
                node,
                "a condition must be a function that returns true or false",
            ),
        }
    }

    fn equals(&self, argument: &Node) -> Option<bool> {
        let Some([left, right]) = argument.list() else {
            return self.fail(argument, "!Equals takes two values");
        };
        let left = resolve(&self.scope, left)?;
        let right = resolve(&self.scope, right)?;

        match (left.text(), right.text()) {
            (Some(left), Some(right)) => Some(left == right),
            _ => self.fail(argument, "!Equals takes two values"),
        }
    }

    fn each(&self, argument: &Node, nesting: usize) -> Option<Vec<bool>> {
        match argument.list() {
            Some(conditions) => conditions
                .iter()
                .map(|condition| self.holds(condition, nesting + 1))
                .collect(),
            None => self.fail(argument, "a list of conditions is expected"),
        }
    }

    fn named(&self, name: &Node, nesting: usize) -> Option<bool> {
        match name
            .text()
            .and_then(|name| Some((name, self.section.get(name)?)))
        {
            Some((name, condition)) => self.evaluate(name, condition, nesting + 1),
            None => self.fail(name, "there is no such condition"),
        }
    }

    fn fail<T>(&self, node: &Node, message: &str) -> Option<T> {
        self.scope.report.add(node.line, message);
        None
    }
}
