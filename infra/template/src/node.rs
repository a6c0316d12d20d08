//! The template as a tree of nodes with line numbers.
//!
//! Invariants:
//! - Intrinsic functions have one representation for the short (`!Ref x`) and the long (`Ref: x`)
//!   form.
//! - The keys of a mapping are distinct.

/// A value and its line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) value: NodeValue,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NodeValue {
    /// An empty value, `~` or `null`. CloudFormation never accepts it.
    Null,
    /// A value that could not be read. The error is already reported, so it is not reported again.
    Broken,
    /// Text, a number or a boolean. The property that holds it decides on the type.
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
    Call(Intrinsic, Box<Node>),
}

/// One key of a mapping with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// Line of the key.
    pub(crate) line: usize,
    pub(crate) node: Node,
}

/// The supported intrinsic functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intrinsic {
    Ref,
    GetAtt,
    Sub,
    Join,
    Select,
    Split,
    If,
    Equals,
    And,
    Or,
    Not,
    Condition,
}

impl Intrinsic {
    /// Parses the name of the short form, without the `!`.
    pub(crate) fn from_short(name: &str) -> Option<Self> {
        Some(match name {
            "Ref" => Self::Ref,
            "GetAtt" => Self::GetAtt,
            "Sub" => Self::Sub,
            "Join" => Self::Join,
            "Select" => Self::Select,
            "Split" => Self::Split,
            "If" => Self::If,
            "Equals" => Self::Equals,
            "And" => Self::And,
            "Or" => Self::Or,
            "Not" => Self::Not,
            "Condition" => Self::Condition,
            _ => return None,
        })
    }

    /// Returns whether `key` is the long form of a function, supported or not.
    ///
    /// `Condition` is not: as a key it is an attribute of resources as well. The evaluation of
    /// conditions handles it.
    pub(crate) fn is_long(key: &str) -> bool {
        key == "Ref" || key.starts_with("Fn::")
    }

    /// Parses the name of the long form.
    pub(crate) fn from_long(key: &str) -> Option<Self> {
        if key == "Ref" {
            Some(Self::Ref)
        } else {
            key.strip_prefix("Fn::").and_then(Self::from_short)
        }
    }
}

impl Node {
    /// Returns the text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        if let NodeValue::Scalar(text) = &self.value {
            Some(text)
        } else {
            None
        }
    }

    pub(crate) fn list(&self) -> Option<&[Node]> {
        if let NodeValue::List(items) = &self.value {
            Some(items)
        } else {
            None
        }
    }

    pub(crate) fn map(&self) -> Option<&[Entry]> {
        if let NodeValue::Map(entries) = &self.value {
            Some(entries)
        } else {
            None
        }
    }

    /// Returns the value of `key`, if this is a mapping with that key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.map()?
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.node)
    }

    /// Removes `key` and returns its value, if this is a mapping with that key.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Node> {
        let NodeValue::Map(entries) = &mut self.value else {
            return None;
        };
        let position = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(position).node)
    }

    /// Merges `over` into this node as SAM merges `Globals`: mappings by key, lists by
    /// concatenation. Other values are replaced.
    pub(crate) fn merged_with(&self, over: &Node) -> Node {
        let value = match (&self.value, &over.value) {
            (NodeValue::Map(base), NodeValue::Map(over)) => {
                NodeValue::Map(merge_entries(base, over))
            }
            (NodeValue::List(base), NodeValue::List(over)) => {
                NodeValue::List(base.iter().chain(over).cloned().collect())
            }
            _ => over.value.clone(),
        };

        Node {
            line: over.line,
            value,
        }
    }
}

fn merge_entries(base: &[Entry], over: &[Entry]) -> Vec<Entry> {
    let mut merged = base.to_vec();
    for entry in over {
        match merged.iter_mut().find(|base| base.key == entry.key) {
            Some(base) => {
                base.node = base.node.merged_with(&entry.node);
                base.line = entry.line;
            }
            None => merged.push(entry.clone()),
        }
    }

    merged
}
