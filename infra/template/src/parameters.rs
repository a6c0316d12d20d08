//! The `Parameters` section: declarations, and the values that they take.
//!
//! Invariant: a value is used only if it keeps everything its declaration demands.

use std::collections::BTreeMap;

use regex::Regex;

use crate::fields::Fields;
use crate::node::{Entry, Node};
use crate::problem::Report;

/// CloudFormation's bound on parameters of one template.
const MAX_PARAMETERS: usize = 200;

/// CloudFormation's bound on one value.
const MAX_VALUE_BYTES: usize = 4096;

/// One parameter that the template declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// What an override names.
    pub name: String,
    /// What its values are.
    pub kind: ParameterKind,
    /// The value where none is given.
    pub default: Option<String>,
    /// What it is for.
    pub description: Option<String>,
}

/// What a parameter's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Text.
    String,
    /// A whole number. (CloudFormation takes fractions, too; nothing of ours does.)
    Number,
}

/// Values by parameter; none where there is a problem with it, which is reported already.
pub(crate) type Values = BTreeMap<String, Option<String>>;

/// A parameter with what it demands of values.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) parameter: Parameter,
    line: usize,
    allowed_values: Vec<String>,
    /// As it is written, and compiled to match the whole value, as CloudFormation has it.
    pattern: Option<(String, Regex)>,
    /// Least and most characters of text, or least and most number.
    least: Option<i64>,
    most: Option<i64>,
}

/// Reads the `Parameters` section.
pub(crate) fn declarations(section: Option<&Node>, report: &Report) -> Vec<Declaration> {
    let Some(section) = section else {
        return Vec::new();
    };
    let Some(entries) = section.map() else {
        report.add(section.line, "Parameters must be a mapping");
        return Vec::new();
    };
    if entries.len() > MAX_PARAMETERS {
        report.add(
            section.line,
            format!("more than {MAX_PARAMETERS} parameters"),
        );
    }
    entries
        .iter()
        .filter_map(|entry| declaration(entry, report))
        .collect()
}

fn declaration(entry: &Entry, report: &Report) -> Option<Declaration> {
    let mut fields = Fields::of(&entry.node, "a parameter", report);
    fields.without_effect(&["ConstraintDescription", "NoEcho"]);
    let kind = match fields.required_text("Type") {
        Some("String") => Some(ParameterKind::String),
        Some("Number") => Some(ParameterKind::Number),
        Some(other) => {
            report.add(
                entry.line,
                format!("the parameter type `{other}` is not understood"),
            );
            None
        }
        None => None,
    };
    let (least, most) = match kind {
        Some(ParameterKind::Number) => ("MinValue", "MaxValue"),
        _ => ("MinLength", "MaxLength"),
    };
    let parameter = Parameter {
        name: entry.key.clone(),
        kind: kind.unwrap_or(ParameterKind::String),
        default: fields.text("Default").map(str::to_owned),
        description: fields.text("Description").map(str::to_owned),
    };
    let declaration = Declaration {
        parameter,
        line: entry.line,
        allowed_values: fields.texts("AllowedValues"),
        pattern: fields
            .take("AllowedPattern")
            .and_then(|node| pattern(node, report)),
        least: fields.take(least).and_then(|node| bound(node, report)),
        most: fields.take(most).and_then(|node| bound(node, report)),
    };
    fields.finish();
    kind.map(|_| declaration)
}

fn pattern(node: &Node, report: &Report) -> Option<(String, Regex)> {
    let pattern = node
        .text()
        .and_then(|text| Some((text.to_owned(), Regex::new(&format!("^(?:{text})$")).ok()?)));
    if pattern.is_none() {
        report.add(
            node.line,
            "`AllowedPattern` is no regular expression that is understood",
        );
    }
    pattern
}

fn bound(node: &Node, report: &Report) -> Option<i64> {
    let bound = node.text().and_then(|text| text.parse().ok());
    if bound.is_none() {
        report.add(node.line, "a bound must be a whole number");
    }
    bound
}

/// Every parameter's value: the override, or the default; none where that is a problem.
///
/// `line` is where overrides of unknown parameters are reported: there is no better place.
pub(crate) fn values(
    declarations: &[Declaration],
    overrides: &BTreeMap<String, String>,
    line: usize,
    report: &Report,
) -> Values {
    for name in overrides.keys() {
        if !declarations
            .iter()
            .any(|declaration| declaration.parameter.name == *name)
        {
            report.add(line, format!("there is no parameter `{name}` to override"));
        }
    }
    let mut values = BTreeMap::new();
    for declaration in declarations {
        let Parameter { name, default, .. } = &declaration.parameter;
        let Some(value) = overrides.get(name).or(default.as_ref()) else {
            report.add(
                declaration.line,
                format!("the parameter `{name}` has no default and was not given"),
            );
            values.insert(name.clone(), None);
            continue;
        };
        let checked = declaration.check(value);
        if let Err(demand) = &checked {
            report.add(declaration.line, format!("the parameter `{name}` {demand}"));
        }
        values.insert(name.clone(), checked.is_ok().then(|| value.clone()));
    }
    values
}

impl Declaration {
    /// Whether `value` is one; else what is demanded of it.
    fn check(&self, value: &str) -> Result<(), String> {
        if value.len() > MAX_VALUE_BYTES {
            return Err(format!("must be at most {MAX_VALUE_BYTES} bytes long"));
        }
        let (size, unit) = match self.parameter.kind {
            ParameterKind::Number => (
                value
                    .parse()
                    .map_err(|_| "must be a whole number".to_owned())?,
                "",
            ),
            ParameterKind::String => (
                i64::try_from(value.chars().count()).unwrap_or(i64::MAX),
                " characters long",
            ),
        };
        if let Some(least) = self.least.filter(|least| size < *least) {
            return Err(format!("must be at least {least}{unit}"));
        }
        if let Some(most) = self.most.filter(|most| size > *most) {
            return Err(format!("must be at most {most}{unit}"));
        }
        if !self.allowed_values.is_empty()
            && !self.allowed_values.iter().any(|allowed| allowed == value)
        {
            return Err(format!("must be one of {}", self.allowed_values.join(", ")));
        }
        match &self.pattern {
            Some((text, pattern)) if !pattern.is_match(value) => Err(format!("must match {text}")),
            _ => Ok(()),
        }
    }
}
