//! The `Conditions` section, decided once.
//!
//! Invariant: a condition depends on parameters and on conditions decided without it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::Context;
use crate::node::{Intrinsic, Node, Value};
use crate::parameters::Values;
use crate::problem::Report;
use crate::resolve::resolve;
use crate::scope::Scope;

/// Most conditions within one another.
const MAX_NESTING: usize = 20;

/// What each condition came to.
#[derive(Debug, Default)]
pub(crate) struct Conditions(BTreeMap<String, bool>);

impl Conditions {
    pub(crate) fn get(&self, name: &str) -> Option<bool> {
        self.0.get(name).copied()
    }
}

/// Decides every condition of the section.
pub(crate) fn decide(
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
    let judge = Judge {
        section,
        scope,
        decided: RefCell::default(),
    };
    for entry in entries {
        // One that could not be decided is reported; `false` keeps its name known.
        let holds = judge.decide(&entry.key, &entry.node, 0).unwrap_or(false);
        judge.decided.borrow_mut().insert(entry.key.clone(), holds);
    }
    Conditions(judge.decided.into_inner())
}

struct Judge<'run> {
    section: &'run Node,
    scope: Scope<'run>,
    /// So that each is decided once, however often others name it.
    decided: RefCell<BTreeMap<String, bool>>,
}

impl Judge<'_> {
    fn decide(&self, name: &str, condition: &Node, nesting: usize) -> Option<bool> {
        let decided = self.decided.borrow().get(name).copied();
        if decided.is_some() {
            return decided;
        }
        let holds = self.holds(condition, nesting)?;
        self.decided.borrow_mut().insert(name.to_owned(), holds);
        Some(holds)
    }

    /// None after a problem was reported.
    fn holds(&self, node: &Node, nesting: usize) -> Option<bool> {
        if nesting > MAX_NESTING {
            return self.problem(
                node,
                "conditions refer to one another in a circle, or are nested too deep",
            );
        }
        match &node.value {
            Value::Call(Intrinsic::Equals, argument) => self.equals(argument),
            Value::Call(Intrinsic::And, argument) => {
                Some(self.each(argument, nesting)?.iter().all(|holds| *holds))
            }
            Value::Call(Intrinsic::Or, argument) => {
                Some(self.each(argument, nesting)?.iter().any(|holds| *holds))
            }
            Value::Call(Intrinsic::Not, argument) => match self.each(argument, nesting)?.as_slice()
            {
                [holds] => Some(!holds),
                _ => self.problem(argument, "!Not takes one condition"),
            },
            Value::Call(Intrinsic::Condition, name) => self.named(name, nesting),
            Value::Map(entries) => match entries.as_slice() {
                [entry] if entry.key == "Condition" => self.named(&entry.node, nesting),
                _ => self.problem(
                    node,
                    "a condition must be a function that gives true or false",
                ),
            },
            _ => self.problem(
                node,
                "a condition must be a function that gives true or false",
            ),
        }
    }

    fn equals(&self, argument: &Node) -> Option<bool> {
        let Some([left, right]) = argument.list() else {
            return self.problem(argument, "!Equals takes two values");
        };
        let (left, right) = (resolve(&self.scope, left)?, resolve(&self.scope, right)?);
        match (left.text(), right.text()) {
            (Some(left), Some(right)) => Some(left == right),
            _ => self.problem(argument, "!Equals takes two values"),
        }
    }

    fn each(&self, argument: &Node, nesting: usize) -> Option<Vec<bool>> {
        match argument.list() {
            Some(conditions) => conditions
                .iter()
                .map(|condition| self.holds(condition, nesting + 1))
                .collect(),
            None => self.problem(argument, "a list of conditions is expected"),
        }
    }

    fn named(&self, name: &Node, nesting: usize) -> Option<bool> {
        match name
            .text()
            .and_then(|name| Some((name, self.section.get(name)?)))
        {
            Some((name, condition)) => self.decide(name, condition, nesting + 1),
            None => self.problem(name, "there is no such condition"),
        }
    }

    fn problem<T>(&self, node: &Node, message: &str) -> Option<T> {
        self.scope.report.add(node.line, message);
        None
    }
}
