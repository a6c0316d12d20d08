//! The template as a tree whose every node knows its line.
//!
//! Invariant: intrinsic functions look the same here in short (`!Ref x`) and long (`Ref: x`) form,
//! and only those that the reader understands exist; no two keys of a mapping are equal.

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Nothing, `~` or `null`. CloudFormation accepts it nowhere.
    Null,
    /// Something that could not be read. The problem is reported already: whoever meets this keeps
    /// silent.
    Broken,
    /// Numbers and booleans included: what they mean depends on who reads them.
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

/// The functions that are understood.
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
    /// By the name in short form, without the `!`.
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

    /// Whether `key` claims to be the long form of a function, understood or not.
    ///
    /// `Condition` does not: as a key it is an attribute of resources, too. Conditions read it
    /// themselves.
    pub(crate) fn is_long(key: &str) -> bool {
        key == "Ref" || key.starts_with("Fn::")
    }

    /// By the name in long form.
    pub(crate) fn from_long(key: &str) -> Option<Self> {
        if key == "Ref" {
            Some(Self::Ref)
        } else {
            key.strip_prefix("Fn::").and_then(Self::from_short)
        }
    }
}

impl Node {
    /// The scalar's text.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Value::Scalar(text) = &self.value {
            Some(text)
        } else {
            None
        }
    }

    pub(crate) fn list(&self) -> Option<&[Node]> {
        if let Value::List(items) = &self.value {
            Some(items)
        } else {
            None
        }
    }

    pub(crate) fn map(&self) -> Option<&[Entry]> {
        if let Value::Map(entries) = &self.value {
            Some(entries)
        } else {
            None
        }
    }

    /// The value under `key`, if this is a mapping that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.map()?
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.node)
    }

    /// Takes `key` out, if this is a mapping that has it.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Node> {
        let Value::Map(entries) = &mut self.value else {
            return None;
        };
        let position = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(position).node)
    }

    /// This under `over`, as `Globals` merge: mappings key by key, lists one after the other, all
    /// else replaced.
    pub(crate) fn merged_with(&self, over: &Node) -> Node {
        let value = match (&self.value, &over.value) {
            (Value::Map(base), Value::Map(over)) => Value::Map(merge_entries(base, over)),
            (Value::List(base), Value::List(over)) => {
                Value::List(base.iter().chain(over).cloned().collect())
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
        match merged.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => {
                known.node = known.node.merged_with(&entry.node);
                known.line = entry.line;
            }
            None => merged.push(entry.clone()),
        }
    }
    merged
}
