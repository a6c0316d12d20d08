//! The `Parameters` section: declarations and values.
//!
//! Invariant: a value is used only if it meets the constraints of its declaration.

use std::collections::BTreeMap;

use regex::Regex;

use crate::diagnostic::Report;
use crate::node::{Entry, Node};
use crate::properties::Properties;

/// CloudFormation's maximum number of parameters.
const MAX_PARAMETERS: usize = 200;

/// CloudFormation's maximum size of a value, in bytes.
const MAX_VALUE_BYTES: usize = 4096;

/// A declared parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Type of its values.
    pub kind: ParameterKind,
    /// Default value.
    pub default: Option<String>,
    /// Description.
    pub description: Option<String>,
}

/// Type of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Text.
    String,
    /// An integer. Fractions, which CloudFormation accepts, are not supported.
    Number,
}

/// Values by parameter; `None` if the value is invalid, which is already reported.
pub(crate) type Values = BTreeMap<String, Option<String>>;

/// A parameter and the constraints on its values.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) parameter: Parameter,
    line: usize,
    allowed_values: Vec<String>,
    pattern: Option<Pattern>,
    /// Minimum length of text in characters, or minimum number.
    min: Option<i64>,
    /// Maximum length of text in characters, or maximum number.
    max: Option<i64>,
}

/// An `AllowedPattern`.
#[derive(Debug)]
struct Pattern {
    /// The pattern of the template.
    text: String,
    /// Matches the whole value, as in CloudFormation.
    regex: Regex,
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
    let mut properties = Properties::of(&entry.node, "a parameter", report);
    properties.without_effect(&["ConstraintDescription", "NoEcho"]);
    let kind = match properties.required_text("Type") {
        Some("String") => Some(ParameterKind::String),
        Some("Number") => Some(ParameterKind::Number),
        Some(other) => {
            report.add(
                entry.line,
                format!("the parameter type `{other}` is not supported"),
            );
            None
        }
        None => None,
    };

    let is_number = kind == Some(ParameterKind::Number);
    let min = if is_number { "MinValue" } else { "MinLength" };
    let max = if is_number { "MaxValue" } else { "MaxLength" };

    let parameter = Parameter {
        name: entry.key.clone(),
        kind: kind.unwrap_or(ParameterKind::String),
        default: properties.text("Default").map(str::to_owned),
        description: properties.text("Description").map(str::to_owned),
    };
    let declaration = Declaration {
        parameter,
        line: entry.line,
        allowed_values: properties.texts("AllowedValues"),
        pattern: properties
            .take("AllowedPattern")
            .and_then(|node| pattern(node, report)),
        min: properties.take(min).and_then(|node| bound(node, report)),
        max: properties.take(max).and_then(|node| bound(node, report)),
    };
    properties.finish();

    kind.map(|_| declaration)
}

fn pattern(node: &Node, report: &Report) -> Option<Pattern> {
    let pattern = node.text().and_then(|text| {
        let regex = Regex::new(&format!("^(?:{text})$")).ok()?;
        Some(Pattern {
            text: text.to_owned(),
            regex,
        })
    });

    if pattern.is_none() {
        report.add(
            node.line,
            "`AllowedPattern` is not a supported regular expression",
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

/// Returns the value of every parameter: the override or the default, if it is valid.
///
/// Overrides of unknown parameters are reported at `line`.
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
        if let Err(constraint) = &checked {
            report.add(
                declaration.line,
                format!("the parameter `{name}` {constraint}"),
            );
        }
        values.insert(name.clone(), checked.is_ok().then(|| value.clone()));
    }

    values
}

impl Declaration {
    /// Fails with the constraint that `value` does not meet.
    fn check(&self, value: &str) -> Result<(), String> {
        if value.len() > MAX_VALUE_BYTES {
            return Err(format!("must be at most {MAX_VALUE_BYTES} bytes long"));
        }

        let size: i64 = match self.parameter.kind {
            ParameterKind::Number => value
                .parse()
                .map_err(|_| "must be a whole number".to_owned())?,
            ParameterKind::String => i64::try_from(value.chars().count()).unwrap_or(i64::MAX),
        };

        let unit = match self.parameter.kind {
            ParameterKind::Number => "",
            ParameterKind::String => " characters long",
        };

        if let Some(min) = self.min.filter(|min| size < *min) {
            return Err(format!("must be at least {min}{unit}"));
        }
        if let Some(max) = self.max.filter(|max| size > *max) {
            return Err(format!("must be at most {max}{unit}"));
        }

        if !self.allowed_values.is_empty()
            && !self.allowed_values.iter().any(|allowed| allowed == value)
        {
            return Err(format!("must be one of {}", self.allowed_values.join(", ")));
        }

        match &self.pattern {
            Some(pattern) if !pattern.regex.is_match(value) => {
                Err(format!("must match {}", pattern.text))
            }
            _ => Ok(()),
        }
    }
}
