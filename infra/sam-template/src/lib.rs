//! Reads an AWS SAM template and resolves it to the [`ResolvedTemplate`] that the local stack runs.
//!
//! cfn-lint and SAM check what a template may contain (`scripts/check-template`). This crate reads
//! what the local stack provisions.
//!
//! Invariants:
//! - Resource types and properties that the local stack neither reads nor may ignore are errors:
//!   `catalog.yaml` lists what has no effect on one machine.
//! - An error names the resource and the property, or the line of invalid YAML. The first error is
//!   returned.
//!
//! ```text
//! text → yaml (JSON; every scalar is a text) → Template
//!      → scope (functions are replaced by their values) → resources (types, names)
//!      → read (one view per resource type) → ResolvedTemplate
//! ```

mod catalog;
mod error;
mod model;
mod parameter;
mod read;
mod resources;
mod scope;
mod text;
mod yaml;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

pub use error::TemplateError;
pub use model::*;
pub use parameter::Parameter;

use resources::Resources;
use scope::Scope;

/// Suffix of every secret's ARN. AWS appends six random characters.
pub const SECRET_ARN_SUFFIX: &str = "abcdef";

/// Sections that the local stack does not read.
const SECTIONS_WITHOUT_EFFECT: [&str; 5] = [
    "AWSTemplateFormatVersion",
    "Description",
    "Outputs",
    "Rules",
    "Transform",
];

/// The deployment that a template is resolved for.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// `AWS::StackName`, the prefix of physical names.
    pub stack_name: String,
    pub region: String,
    pub account_id: String,
    /// Parameters that override their defaults.
    pub parameters: BTreeMap<String, String>,
    /// Prefix of queue URLs without a trailing slash: `http://127.0.0.1:9324`.
    pub queue_url_base: String,
}

/// A parsed template with unresolved references.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct Template {
    #[serde(default)]
    parameters: BTreeMap<String, Parameter>,
    #[serde(default)]
    conditions: BTreeMap<String, Value>,
    #[serde(default)]
    globals: Globals,
    resources: BTreeMap<String, Resource>,
}

/// Properties that resources of one type share.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Globals {
    #[serde(default = "catalog::no_properties")]
    function: Value,
}

/// A resource with unresolved properties. Its other attributes concern deployments only.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resource {
    #[serde(rename = "Type")]
    type_name: String,
    #[serde(default = "catalog::no_properties")]
    properties: Value,
    #[serde(default)]
    metadata: Value,
    condition: Option<String>,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns the first error in its YAML or its sections.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let mut sections = yaml::parse(text)?;
        if let Some(sections) = sections.as_object_mut() {
            sections.retain(|name, _| !SECTIONS_WITHOUT_EFFECT.contains(&name.as_str()));
        }
        text::typed(sections)
    }

    /// Returns the declared parameters by name.
    pub fn parameters(&self) -> &BTreeMap<String, Parameter> {
        &self.parameters
    }

    /// Resolves the template.
    ///
    /// # Errors
    /// Returns the first error in a resource, or in a parameter of the context.
    pub fn read(&self, context: &Context) -> Result<ResolvedTemplate, TemplateError> {
        let scope = Scope::new(self, context)?;
        read::resolved_template(&Resources::new(self, scope))
    }
}

/// Parses and resolves a template.
///
/// # Errors
/// Returns the first error.
pub fn read(text: &str, context: &Context) -> Result<ResolvedTemplate, TemplateError> {
    Template::parse(text)?.read(context)
}
