//! Reads an AWS SAM template and resolves it to what the local stack runs.
//!
//! Invariant: whatever is not understood is a [`Problem`] with its line, never skipped. A property
//! that has no effect on one machine is known by name and listed as such; the references in it are
//! followed all the same.
//!
//! ```text
//! text → yaml (nodes with lines) → parameters, conditions → resources (types, names) → resolve → sections → Stack
//! ```

use std::collections::BTreeMap;

mod catalog;
mod conditions;
mod fields;
mod model;
mod node;
mod parameters;
mod problem;
mod read;
mod resolve;
mod resources;
mod scope;
mod yaml;

pub use model::*;
pub use parameters::{Parameter, ParameterKind};
pub use problem::{Problem, Problems};

use fields::Fields;
use node::Node;
use parameters::Declaration;
use problem::Report;
use resolve::resolve;
use scope::Scope;

/// What the ARNs of secrets end with, where a deployment has six characters at random.
pub const SECRET_ARN_SUFFIX: &str = "abcdef";

/// The one format version that there is.
const FORMAT_VERSION: &str = "2010-09-09";

/// What makes a template a SAM template.
const TRANSFORM: &str = "AWS::Serverless-2016-10-31";

/// What a template is resolved with.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// `AWS::StackName`; physical names begin with it.
    pub stack_name: String,
    /// `AWS::Region`.
    pub region: String,
    /// `AWS::AccountId`.
    pub account_id: String,
    /// Parameters that do not take their defaults.
    pub parameters: BTreeMap<String, String>,
    /// By logical id and attribute: what only a deployment knows, such as `("Cdn", "DomainName")`.
    /// It also goes before what the reader would have made up.
    pub attributes: BTreeMap<(String, String), String>,
    /// What queue addresses begin with, without a slash at the end: `http://127.0.0.1:9324`.
    pub queue_url_base: String,
}

/// A parsed template, of which nothing is resolved yet.
#[derive(Debug)]
pub struct Template {
    root: Node,
    declarations: Vec<Declaration>,
    /// Everything that is wrong with the declarations.
    declaration_problems: Option<Problems>,
}

impl Template {
    /// Parses the text of a template.
    ///
    /// # Errors
    /// Everything that is no YAML as CloudFormation reads it.
    pub fn parse(text: &str) -> Result<Template, Problems> {
        let root = yaml::parse(text)?;
        let report = Report::default();
        let declarations = parameters::declarations(root.get("Parameters"), &report);
        let declaration_problems = report.finish(()).err();

        Ok(Template {
            root,
            declarations,
            declaration_problems,
        })
    }

    /// Resolves the template.
    ///
    /// # Errors
    /// Everything that is wrong with it, or not understood.
    pub fn read(&self, context: &Context) -> Result<Stack, Problems> {
        let report = Report::with(self.declaration_problems.as_ref());
        let stack = self.assemble(context, &report);
        report.finish(stack)
    }

    /// The parameters that the template declares, in its order.
    ///
    /// # Errors
    /// Everything that is wrong with the declarations.
    pub fn parameters(&self) -> Result<Vec<Parameter>, Problems> {
        match &self.declaration_problems {
            Some(problems) => Err(problems.clone()),
            None => Ok(self
                .declarations
                .iter()
                .map(|declaration| declaration.parameter.clone())
                .collect()),
        }
    }

    fn assemble(&self, context: &Context, report: &Report) -> Stack {
        let mut sections = Fields::of(&self.root, "a template", report);
        sections.without_effect(&["Description", "Metadata"]);
        sections.fixed("AWSTemplateFormatVersion", FORMAT_VERSION);
        sections.fixed("Transform", TRANSFORM);
        let parameter_section = sections.take("Parameters");
        let condition_section = sections.take("Conditions");
        let function_globals = sections.take("Globals").and_then(|globals| {
            let mut globals = Fields::of(globals, "Globals", report);
            let function = globals.take("Function");
            globals.finish();
            function
        });
        let resource_section = sections.required("Resources");
        let outputs = sections.take("Outputs");
        sections.finish();

        let override_line = parameter_section.map_or(1, |section| section.line);
        let values = parameters::values(
            &self.declarations,
            &context.parameters,
            override_line,
            report,
        );
        let conditions = conditions::decide(condition_section, context, &values, report);
        let names = Scope::of_parameters(context, &values, &conditions, report);
        let resources = resources::index(resource_section, function_globals, &names);
        let scope = names.with_resources(&resources);
        read_outputs(outputs, &scope);
        read::stack(&scope)
    }
}

/// Parses and resolves a template.
///
/// # Errors
/// Everything that is wrong with it, or not understood.
pub fn read(text: &str, context: &Context) -> Result<Stack, Problems> {
    Template::parse(text)?.read(context)
}

/// Outputs run nowhere; that they refer to something is all that is asked of them.
fn read_outputs(section: Option<&Node>, scope: &Scope<'_>) {
    let Some(section) = section else { return };
    if section.map().is_none() {
        scope.report.add(section.line, "Outputs must be a mapping");
    }
    for entry in section.map().unwrap_or_default() {
        let Some(output) = resolve(scope, &entry.node) else {
            continue;
        };
        let mut fields = Fields::of(&output, "an output", scope.report);
        fields.without_effect(&["Description", "Export"]);
        fields.required("Value");
        fields.finish();
    }
}

#[cfg(test)]
mod tests;
