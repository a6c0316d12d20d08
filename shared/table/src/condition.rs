//! Condition expressions, with the attribute names and values that they and update expressions use.

use std::{collections::HashMap, fmt::Display};

use aws_sdk_dynamodb::types::AttributeValue;

use crate::key::PARTITION;

/// A condition expression: the conjunction of its parts. Holds if it has no parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition {
    parts: Vec<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Condition {
    /// Holds if the item exists.
    pub(crate) fn exists() -> Condition {
        Condition::default()
            .and("attribute_exists(#partition)")
            .name("partition", PARTITION)
    }

    /// Holds if the item does not exist.
    pub(crate) fn not_exists() -> Condition {
        Condition::default()
            .and("attribute_not_exists(#partition)")
            .name("partition", PARTITION)
    }

    /// Holds if an attribute has this value.
    pub(crate) fn equals(attribute: &str, value: AttributeValue) -> Condition {
        Condition::default().and_equals(attribute, value)
    }

    /// Holds if the record is still this version.
    pub(crate) fn version(version: u64) -> Condition {
        Condition::equals("version", number(version))
    }

    /// Also requires that an attribute has this value.
    pub(crate) fn and_equals(self, attribute: &str, value: AttributeValue) -> Condition {
        self.and(&format!("#{attribute} = :{attribute}"))
            .name(attribute, attribute)
            .value(attribute, value)
    }

    /// Also requires an expression. An expression with `OR` must be in parentheses.
    pub(crate) fn and(mut self, part: &str) -> Condition {
        self.parts.push(part.to_owned());
        self
    }

    /// Defines the attribute that `#placeholder` stands for.
    pub(crate) fn name(mut self, placeholder: &str, attribute: &str) -> Condition {
        self.names
            .insert(format!("#{placeholder}"), attribute.to_owned());
        self
    }

    /// Defines the value that `:placeholder` stands for.
    pub(crate) fn value(mut self, placeholder: &str, value: AttributeValue) -> Condition {
        self.values.insert(format!(":{placeholder}"), value);
        self
    }

    /// Returns the expression; `None` if there are no parts.
    pub(crate) fn expression(&self) -> Option<String> {
        (!self.parts.is_empty()).then(|| self.parts.join(" AND "))
    }

    /// Returns the attributes by placeholder. DynamoDB rejects an empty map.
    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        Some(self.names.clone()).filter(|names| !names.is_empty())
    }

    /// Returns the values by placeholder. DynamoDB rejects an empty map.
    pub(crate) fn values(&self) -> Option<HashMap<String, AttributeValue>> {
        Some(self.values.clone()).filter(|values| !values.is_empty())
    }
}

/// Creates a string attribute.
pub(crate) fn text(value: impl Display) -> AttributeValue {
    AttributeValue::S(value.to_string())
}

/// Creates a number attribute.
pub(crate) fn number(value: impl Display) -> AttributeValue {
    AttributeValue::N(value.to_string())
}
