//! The properties of one mapping, taken one by one.
//!
//! Invariant: a property is taken, or listed as having no effect here, or a problem. None is
//! skipped by default.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::slice;
use std::str::FromStr;

use crate::node::{Entry, Node, Value};
use crate::problem::Report;

/// A mapping whose properties are being read.
pub(crate) struct Fields<'tree, 'report> {
    /// What the mapping is, for messages: `AWS::SQS::Queue`.
    owner: &'static str,
    line: usize,
    entries: &'tree [Entry],
    /// Whether the mapping itself could not be read, so that nothing can be missed in it.
    broken: bool,
    known: BTreeSet<&'static str>,
    report: &'report Report,
}

impl<'tree, 'report> Fields<'tree, 'report> {
    /// Starts reading `node`; anything but a mapping is a problem.
    pub(crate) fn of(node: &'tree Node, owner: &'static str, report: &'report Report) -> Self {
        let entries = node.map();
        if entries.is_none() && node.value != Value::Broken {
            report.add(node.line, format!("{owner} must be a mapping"));
        }
        Self {
            owner,
            line: node.line,
            entries: entries.unwrap_or_default(),
            broken: entries.is_none(),
            known: BTreeSet::new(),
            report,
        }
    }

    /// The value of `key`, if it is there and readable.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'tree Node> {
        self.entry(key)
            .map(|entry| &entry.node)
            .filter(|node| node.value != Value::Broken)
    }

    /// The value of `key`; its absence is a problem.
    pub(crate) fn required(&mut self, key: &'static str) -> Option<&'tree Node> {
        if self.entry(key).is_none() && !self.broken {
            self.report
                .add(self.line, format!("`{key}` of {} is missing", self.owner));
        }
        self.take(key)
    }

    /// The text of `key`; anything but text is a problem.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<&'tree str> {
        self.take(key)
            .and_then(|node| text_of(node, key, self.report))
    }

    /// The text of `key`; its absence is a problem.
    pub(crate) fn required_text(&mut self, key: &'static str) -> Option<&'tree str> {
        self.required(key)
            .and_then(|node| text_of(node, key, self.report))
    }

    /// The whole number of `key`, within `bounds`.
    pub(crate) fn number(
        &mut self,
        key: &'static str,
        bounds: &RangeInclusive<u32>,
    ) -> Option<u32> {
        let node = self.take(key)?;
        let number = u32::from_str(text_of(node, key, self.report)?)
            .ok()
            .filter(|number| bounds.contains(number));
        if number.is_none() {
            let (least, most) = (bounds.start(), bounds.end());
            self.report.add(
                node.line,
                format!("`{key}` must be a whole number from {least} to {most}"),
            );
        }
        number
    }

    /// The boolean of `key`.
    pub(crate) fn flag(&mut self, key: &'static str) -> Option<bool> {
        let node = self.take(key)?;
        match text_of(node, key, self.report)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                self.report
                    .add(node.line, format!("`{key}` must be true or false"));
                None
            }
        }
    }

    /// The texts of the list under `key`.
    pub(crate) fn texts(&mut self, key: &'static str) -> Vec<String> {
        let items = self.items(key);
        items
            .iter()
            .filter_map(|item| text_of(item, key, self.report))
            .map(str::to_owned)
            .collect()
    }

    /// The items of the list under `key`; anything but a list is a problem.
    pub(crate) fn items(&mut self, key: &'static str) -> &'tree [Node] {
        let Some(node) = self.take(key) else {
            return &[];
        };
        if node.list().is_none() {
            self.report
                .add(node.line, format!("`{key}` must be a list"));
        }
        node.list().unwrap_or_default()
    }

    /// The items of the list under `key`, or the one value that may stand for a list of itself.
    pub(crate) fn one_or_more(&mut self, key: &'static str) -> &'tree [Node] {
        match self.take(key) {
            None => &[],
            Some(node) => node.list().unwrap_or(slice::from_ref(node)),
        }
    }

    /// The entries of the mapping under `key`; anything but a mapping is a problem.
    pub(crate) fn entries(&mut self, key: &'static str) -> &'tree [Entry] {
        let Some(node) = self.take(key) else {
            return &[];
        };
        if node.map().is_none() {
            self.report
                .add(node.line, format!("`{key}` must be a mapping"));
        }
        node.map().unwrap_or_default()
    }

    /// The text of `key` must be `only`: nothing else is emulated.
    pub(crate) fn fixed(&mut self, key: &'static str, only: &str) {
        if let Some(node) = self.take(key)
            && node.text() != Some(only)
        {
            self.report
                .add(node.line, format!("`{key}` is understood as `{only}` only"));
        }
    }

    /// These are known and change nothing here.
    pub(crate) fn without_effect(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// Whatever was not taken is a problem.
    pub(crate) fn finish(self) {
        for entry in self
            .entries
            .iter()
            .filter(|entry| !self.known.contains(entry.key.as_str()))
        {
            self.report.add(
                entry.line,
                format!("`{}` of {} is not understood", entry.key, self.owner),
            );
        }
    }

    fn entry(&mut self, key: &'static str) -> Option<&'tree Entry> {
        self.known.insert(key);
        self.entries.iter().find(|entry| entry.key == key)
    }
}

/// The node's text; anything else is a problem of `key`.
pub(crate) fn text_of<'tree>(node: &'tree Node, key: &str, report: &Report) -> Option<&'tree str> {
    if node.text().is_none() && node.value != Value::Broken {
        report.add(node.line, format!("`{key}` must be text"));
    }
    node.text()
}
