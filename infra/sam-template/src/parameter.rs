//! Parameters: declarations and values.

use std::collections::BTreeMap;

use regex::Regex;
use serde::{Deserialize, Deserializer, de::Error};

use crate::{error::TemplateError, text::some_parsed};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct Parameter {
    #[serde(rename = "Type")]
    kind: ParameterKind,
    pub default: Option<String>,
    pub description: Option<String>,
    #[serde(default)]
    allowed_values: Vec<String>,
    /// Matches the whole value, as in CloudFormation.
    #[serde(default, deserialize_with = "pattern")]
    allowed_pattern: Option<Regex>,
    /// What the pattern means, which errors state in place of it.
    constraint_description: Option<String>,
    #[serde(default, deserialize_with = "some_parsed")]
    min_value: Option<i64>,
    #[serde(default, deserialize_with = "some_parsed")]
    max_value: Option<i64>,
}

/// Type of the values of a parameter. Numbers are whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum ParameterKind {
    String,
    Number,
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Regex>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Regex::new(&format!("^(?:{text})$"))
        .map(Some)
        .map_err(D::Error::custom)
}

/// Returns the value of every parameter: the override or the default.
pub(crate) fn values(
    declared: &BTreeMap<String, Parameter>,
    overrides: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, TemplateError> {
    let fail = |name: &str, message: String| TemplateError::new(name, message).within("Parameters");
    if let Some(name) = overrides.keys().find(|name| !declared.contains_key(*name)) {
        return Err(fail(name, "there is no such parameter".to_owned()));
    }

    let value = |(name, parameter): (&String, &Parameter)| {
        let given = overrides.get(name);
        if let Some(given) = given {
            let checked = parameter.check(given);
            checked.map_err(|constraint| fail(name, format!("the value {constraint}")))?;
        }
        let value = given.or(parameter.default.as_ref());
        let value = value.ok_or_else(|| fail(name, "a value is required".to_owned()))?;
        Ok((name.clone(), value.clone()))
    };
    declared.iter().map(value).collect()
}

impl Parameter {
    /// Fails with the constraint that a value does not meet.
    fn check(&self, value: &str) -> Result<(), String> {
        if self.kind == ParameterKind::Number {
            let number: i64 = value
                .parse()
                .map_err(|_| "must be a whole number".to_owned())?;
            if let Some(min) = self.min_value.filter(|min| number < *min) {
                return Err(format!("must be at least {min}"));
            }
            if let Some(max) = self.max_value.filter(|max| number > *max) {
                return Err(format!("must be at most {max}"));
            }
        }

        if !self.allowed_values.is_empty() && !self.allowed_values.iter().any(|one| one == value) {
            return Err(format!("must be one of {}", self.allowed_values.join(", ")));
        }
        match &self.allowed_pattern {
            Some(pattern) if !pattern.is_match(value) => {
                let described = self.constraint_description.clone();
                Err(described.unwrap_or_else(|| format!("must match {pattern}")))
            }
            _ => Ok(()),
        }
    }
}
