//! Evaluates intrinsic functions.
//!
//! Invariant: a resolved tree contains no call and no null. Every reference that does not resolve
//! is reported.

use crate::node::{Entry, Intrinsic, Node, NodeValue};
use crate::scope::Scope;

/// Pseudo parameter that removes a property or item.
const NO_VALUE: &str = "AWS::NoValue";

/// Replaces every call in `node` by its value. Returns `None` for `AWS::NoValue`.
pub(crate) fn resolve(scope: &Scope<'_>, node: &Node) -> Option<Node> {
    let line = node.line;
    let value = match &node.value {
        NodeValue::Null => {
            scope.report.add(line, "a value is missing");
            NodeValue::Broken
        }
        NodeValue::Broken => NodeValue::Broken,
        NodeValue::Scalar(text) => NodeValue::Scalar(text.clone()),
        NodeValue::List(items) => NodeValue::List(
            items
                .iter()
                .filter_map(|item| resolve(scope, item))
                .collect(),
        ),
        NodeValue::Map(entries) => NodeValue::Map(
            entries
                .iter()
                .filter_map(|entry| resolve_entry(scope, entry))
                .collect(),
        ),
        NodeValue::Call(Intrinsic::Ref, argument) if argument.text() == Some(NO_VALUE) => {
            return None;
        }
        NodeValue::Call(Intrinsic::If, argument) => return choose(scope, argument),
        NodeValue::Call(intrinsic, argument) => {
            call(scope, *intrinsic, argument).unwrap_or(NodeValue::Broken)
        }
    };

    Some(Node { line, value })
}

fn resolve_entry(scope: &Scope<'_>, entry: &Entry) -> Option<Entry> {
    let node = resolve(scope, &entry.node)?;
    Some(Entry {
        key: entry.key.clone(),
        line: entry.line,
        node,
    })
}

/// Returns `None` after an error was reported.
fn call(scope: &Scope<'_>, intrinsic: Intrinsic, argument: &Node) -> Option<NodeValue> {
    let line = argument.line;

    match intrinsic {
        Intrinsic::Ref => scope
            .reference(text(scope, argument, "!Ref takes a name")?, line)
            .map(NodeValue::Scalar),
        Intrinsic::GetAtt => {
            let path = attribute_path(scope, argument)?;
            scope
                .attribute(path.id, path.attribute, line)
                .map(NodeValue::Scalar)
        }
        Intrinsic::Sub => substitute(scope, argument).map(NodeValue::Scalar),
        Intrinsic::Join => join(scope, argument).map(NodeValue::Scalar),
        Intrinsic::Select => select(scope, argument),
        Intrinsic::Split => split(scope, argument),
        Intrinsic::If => choose(scope, argument).map(|node| node.value),
        Intrinsic::Equals
        | Intrinsic::And
        | Intrinsic::Or
        | Intrinsic::Not
        | Intrinsic::Condition => {
            scope
                .report
                .add(line, "this function is allowed in Conditions only");
            None
        }
    }
}

/// `!If [condition, then, else]`. The other branch is checked as well.
fn choose(scope: &Scope<'_>, argument: &Node) -> Option<Node> {
    let broken = Some(Node {
        line: argument.line,
        value: NodeValue::Broken,
    });
    let Some([condition, then, otherwise]) = argument.list() else {
        scope
            .report
            .add(argument.line, "!If takes a condition and two values");
        return broken;
    };
    let Some(name) = text(scope, condition, "!If takes the name of a condition") else {
        return broken;
    };
    let Some(holds) = scope.condition(name, condition.line) else {
        return broken;
    };

    let chosen = if holds { then } else { otherwise };
    let other = if holds { otherwise } else { then };
    resolve(&scope.hypothetical(), other);
    resolve(scope, chosen)
}

/// The argument of `!GetAtt`.
struct AttributePath<'tree> {
    id: &'tree str,
    attribute: &'tree str,
}

/// Reads `Id.Attribute` or `[Id, Attribute]`.
fn attribute_path<'tree>(scope: &Scope<'_>, argument: &'tree Node) -> Option<AttributePath<'tree>> {
    let path = match &argument.value {
        NodeValue::Scalar(path) => path.split_once('.'),
        NodeValue::List(path) => match path.as_slice() {
            [id, attribute] => id.text().zip(attribute.text()),
            _ => None,
        },
        _ => None,
    };

    if path.is_none() {
        scope
            .report
            .add(argument.line, "!GetAtt takes a logical id and an attribute");
    }

    path.map(|(id, attribute)| AttributePath { id, attribute })
}

/// `!Sub text`, or `!Sub [text, {variable: value}]`.
fn substitute(scope: &Scope<'_>, argument: &Node) -> Option<String> {
    const USAGE: &str = "!Sub takes a text, or a text and a mapping";
    let line = argument.line;

    let template = match argument.list() {
        None => argument,
        Some([template, _]) => template,
        Some(_) => {
            scope.report.add(line, USAGE);
            return None;
        }
    };

    let variables = match argument.list() {
        Some([_, variables]) => Some(resolve(scope, variables)?),
        _ => None,
    };

    let mut rest = text(scope, template, USAGE)?;
    let mut filled = String::new();
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else {
            scope.report.add(line, "`${` is not closed");
            return None;
        };

        filled.push_str(before);
        match name.strip_prefix('!') {
            Some(literal) => filled.extend(["${", literal, "}"]),
            None => filled.push_str(&variable(
                scope,
                name.trim(),
                variables.as_ref(),
                template.line,
            )?),
        }
        rest = after;
    }

    filled.push_str(rest);

    scope.bounded(filled, line)
}

fn variable(
    scope: &Scope<'_>,
    name: &str,
    variables: Option<&Node>,
    line: usize,
) -> Option<String> {
    if let Some(value) = variables.and_then(|variables| variables.get(name)) {
        return text(scope, value, "a variable of !Sub must be text").map(str::to_owned);
    }

    match name.split_once('.') {
        Some((id, attribute)) => scope.attribute(id, attribute, line),
        None => scope.reference(name, line),
    }
}

/// `!Join [delimiter, values]`.
fn join(scope: &Scope<'_>, argument: &Node) -> Option<String> {
    const USAGE: &str = "!Join takes a delimiter and a list of texts";
    let [delimiter, unresolved] = pair(scope, argument, USAGE)?;
    let values = resolve(scope, unresolved)?;

    let texts: Option<Vec<&str>> = list(scope, &values, USAGE)?
        .iter()
        .map(|value| text(scope, value, USAGE))
        .collect();
    scope.bounded(texts?.join(text(scope, delimiter, USAGE)?), argument.line)
}

/// `!Split [delimiter, text]`.
fn split(scope: &Scope<'_>, argument: &Node) -> Option<NodeValue> {
    const USAGE: &str = "!Split takes a delimiter and a text";
    let [delimiter_node, unresolved] = pair(scope, argument, USAGE)?;
    let source_node = resolve(scope, unresolved)?;
    let delimiter = text(scope, delimiter_node, USAGE)?;
    let source = text(scope, &source_node, USAGE)?;
    if delimiter.is_empty() {
        scope.report.add(argument.line, USAGE);
        return None;
    }

    let part = |part: &str| Node {
        line: argument.line,
        value: NodeValue::Scalar(part.to_owned()),
    };

    Some(NodeValue::List(source.split(delimiter).map(part).collect()))
}

/// `!Select [index, values]`.
fn select(scope: &Scope<'_>, argument: &Node) -> Option<NodeValue> {
    const USAGE: &str = "!Select takes an index and a list that has it";
    let [unresolved_index, unresolved_values] = pair(scope, argument, USAGE)?;
    let index_node = resolve(scope, unresolved_index)?;
    let values = resolve(scope, unresolved_values)?;

    let index: Option<usize> = text(scope, &index_node, USAGE)?.parse().ok();
    let selected = index
        .and_then(|index| values.list()?.get(index))
        .map(|node| node.value.clone());

    if selected.is_none() && values.value != NodeValue::Broken {
        scope.report.add(argument.line, USAGE);
    }

    selected
}

fn pair<'tree>(scope: &Scope<'_>, argument: &'tree Node, usage: &str) -> Option<&'tree [Node; 2]> {
    let pair = argument.list().and_then(|list| list.try_into().ok());
    if pair.is_none() {
        scope.report.add(argument.line, usage);
    }
    pair
}

fn text<'tree>(scope: &Scope<'_>, node: &'tree Node, usage: &str) -> Option<&'tree str> {
    if node.text().is_none() && node.value != NodeValue::Broken {
        scope.report.add(node.line, usage);
    }
    node.text()
}

fn list<'tree>(scope: &Scope<'_>, node: &'tree Node, usage: &str) -> Option<&'tree [Node]> {
    if node.list().is_none() && node.value != NodeValue::Broken {
        scope.report.add(node.line, usage);
    }
    node.list()
}
