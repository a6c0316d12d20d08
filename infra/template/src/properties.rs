//! Typed access to the properties of one mapping.
//!
//! Invariant: every property is read, listed as having no effect, or reported as not supported.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::slice;
use std::str::FromStr;

use crate::diagnostic::Report;
use crate::node::{Entry, Node, NodeValue};

/// Reads the properties of a mapping, and reports errors.
pub(crate) struct Properties<'tree, 'report> {
    /// Name of the mapping in messages: `AWS::SQS::Queue`.
    owner: &'static str,
    line: usize,
    entries: &'tree [Entry],
    /// Whether the node is not a mapping. Missing properties are not reported then.
    broken: bool,
    /// Properties that were read or have no effect.
    supported: BTreeSet<&'static str>,
    report: &'report Report,
}

impl<'tree, 'report> Properties<'tree, 'report> {
    /// Starts reading `node`. Reports an error if it is not a mapping.
    pub(crate) fn of(node: &'tree Node, owner: &'static str, report: &'report Report) -> Self {
        let entries = node.map();
        if entries.is_none() && node.value != NodeValue::Broken {
            report.add(node.line, format!("{owner} must be a mapping"));
        }

        Self {
            owner,
            line: node.line,
            entries: entries.unwrap_or_default(),
            broken: entries.is_none(),
            supported: BTreeSet::new(),
            report,
        }
    }

    /// Returns the value of `key`, if it is present and valid YAML.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'tree Node> {
        self.entry(key)
            .map(|entry| &entry.node)
            .filter(|node| node.value != NodeValue::Broken)
    }

    /// Returns the value of `key`. Reports an error if it is missing.
    pub(crate) fn required(&mut self, key: &'static str) -> Option<&'tree Node> {
        if self.entry(key).is_none() && !self.broken {
            self.report
                .add(self.line, format!("`{key}` of {} is missing", self.owner));
        }
        self.take(key)
    }

    /// Returns the text of `key`. Reports an error if the value is not text.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<&'tree str> {
        self.take(key)
            .and_then(|node| text_of(node, key, self.report))
    }

    /// Returns the text of `key`. Reports an error if it is missing or not text.
    pub(crate) fn required_text(&mut self, key: &'static str) -> Option<&'tree str> {
        self.required(key)
            .and_then(|node| text_of(node, key, self.report))
    }

    /// Returns the integer of `key`. Reports an error if it is not within `bounds`.
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
            let min = bounds.start();
            let max = bounds.end();
            self.report.add(
                node.line,
                format!("`{key}` must be a whole number from {min} to {max}"),
            );
        }

        number
    }

    /// Returns the boolean of `key`. Reports an error if it is neither `true` nor `false`.
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

    /// Returns the texts of the list `key`.
    pub(crate) fn texts(&mut self, key: &'static str) -> Vec<String> {
        let items = self.items(key);
        items
            .iter()
            .filter_map(|item| text_of(item, key, self.report))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the items of the list `key`. Reports an error if the value is not a list.
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

    /// Returns the items of the list `key`. A single value counts as a list of one item.
    pub(crate) fn one_or_more(&mut self, key: &'static str) -> &'tree [Node] {
        match self.take(key) {
            None => &[],
            Some(node) => node.list().unwrap_or(slice::from_ref(node)),
        }
    }

    /// Returns the entries of the mapping `key`. Reports an error if the value is not a mapping.
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

    /// Reports an error if `key` has a value other than `only`, which is all that is emulated.
    pub(crate) fn fixed(&mut self, key: &'static str, only: &str) {
        if let Some(node) = self.take(key)
            && node.text() != Some(only)
        {
            self.report
                .add(node.line, format!("`{key}` is supported as `{only}` only"));
        }
    }

    /// Accepts properties that have no effect locally.
    pub(crate) fn without_effect(&mut self, keys: &[&'static str]) {
        self.supported.extend(keys);
    }

    /// Reports all properties that were not read.
    pub(crate) fn finish(self) {
        for entry in self
            .entries
            .iter()
            .filter(|entry| !self.supported.contains(entry.key.as_str()))
        {
            self.report.add(
                entry.line,
                format!("`{}` of {} is not supported", entry.key, self.owner),
            );
        }
    }

    fn entry(&mut self, key: &'static str) -> Option<&'tree Entry> {
        self.supported.insert(key);
        self.entries.iter().find(|entry| entry.key == key)
    }
}

/// Returns the node's text. Reports an error for `key` if the node is not text.
pub(crate) fn text_of<'tree>(node: &'tree Node, key: &str, report: &Report) -> Option<&'tree str> {
    if node.text().is_none() && node.value != NodeValue::Broken {
        report.add(node.line, format!("`{key}` must be text"));
    }
    node.text()
}
