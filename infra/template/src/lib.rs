//! Reads an AWS SAM template and resolves it to the [`ResolvedTemplate`] that the local stack runs.
//!
//! Invariants:
//! - Everything that is not supported is reported as a [`Diagnostic`] with its line. Nothing is
//!   skipped silently.
//! - Properties without an effect on one machine are listed by name. References in them are
//!   resolved nevertheless.
//!
//! ```text
//! text → yaml (nodes with lines) → parameters, conditions → resources (types, names) → resolve → sections → ResolvedTemplate
//! ```

mod catalog;
mod conditions;
mod context;
mod diagnostic;
mod model;
mod node;
mod parameters;
mod properties;
mod read;
mod resolve;
mod resource;
mod resources;
mod scope;
mod yaml;

#[cfg(test)]
mod tests;

pub use context::{Context, SECRET_ARN_SUFFIX};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use model::*;
pub use parameters::{Parameter, ParameterKind};

use diagnostic::Report;
use node::Node;
use parameters::Declaration;
use properties::Properties;
use resolve::resolve;
use scope::Scope;

/// The only format version of CloudFormation templates.
const FORMAT_VERSION: &str = "2010-09-09";

/// The transform that a SAM template declares.
const TRANSFORM: &str = "AWS::Serverless-2016-10-31";

/// A parsed template with unresolved references.
#[derive(Debug)]
pub struct Template {
    root: Node,
    declarations: Vec<Declaration>,
    /// Errors in the declarations of parameters.
    declaration_diagnostics: Option<Diagnostics>,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns all YAML that CloudFormation does not accept.
    pub fn parse(text: &str) -> Result<Template, Diagnostics> {
        let root = yaml::parse(text)?;
        let report = Report::default();
        let declarations = parameters::declarations(root.get("Parameters"), &report);
        let declaration_diagnostics = report.finish(()).err();

        Ok(Template {
            root,
            declarations,
            declaration_diagnostics,
        })
    }

    /// Resolves the template.
    ///
    /// # Errors
    /// Returns everything that is invalid or not supported.
    pub fn read(&self, context: &Context) -> Result<ResolvedTemplate, Diagnostics> {
        let report = Report::with(self.declaration_diagnostics.as_ref());
        let resolved = self.assemble(context, &report);
        report.finish(resolved)
    }

    /// Returns the declared parameters in the order of the template.
    ///
    /// # Errors
    /// Returns everything that is invalid in the declarations.
    pub fn parameters(&self) -> Result<Vec<Parameter>, Diagnostics> {
        match &self.declaration_diagnostics {
            Some(diagnostics) => Err(diagnostics.clone()),
            None => Ok(self
                .declarations
                .iter()
                .map(|declaration| declaration.parameter.clone())
                .collect()),
        }
    }

    fn assemble(&self, context: &Context, report: &Report) -> ResolvedTemplate {
        let mut sections = Properties::of(&self.root, "a template", report);
        sections.without_effect(&["Description", "Metadata", "Rules"]);
        sections.fixed("AWSTemplateFormatVersion", FORMAT_VERSION);
        sections.fixed("Transform", TRANSFORM);

        let parameter_section = sections.take("Parameters");
        let condition_section = sections.take("Conditions");
        let function_globals = sections.take("Globals").and_then(|globals| {
            let mut globals = Properties::of(globals, "Globals", report);
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
        let conditions = conditions::evaluate(condition_section, context, &values, report);

        let parameter_scope = Scope::of_parameters(context, &values, &conditions, report);
        let resources = resources::index(resource_section, function_globals, &parameter_scope);
        let scope = parameter_scope.with_resources(&resources);

        read_outputs(outputs, &scope);
        read::resolved_template(&scope)
    }
}

/// Parses and resolves a template.
///
/// # Errors
/// Returns everything that is invalid or not supported.
pub fn read(text: &str, context: &Context) -> Result<ResolvedTemplate, Diagnostics> {
    Template::parse(text)?.read(context)
}

/// Checks that outputs are well-formed and that their references resolve. Their values are not used.
fn read_outputs(section: Option<&Node>, scope: &Scope<'_>) {
    let Some(section) = section else { return };
    if section.map().is_none() {
        scope.report.add(section.line, "Outputs must be a mapping");
    }

    for entry in section.map().unwrap_or_default() {
        let is_absent = entry.node.get("Condition").is_some_and(|condition| {
            let name = condition.text().unwrap_or_default();
            scope.condition(name, condition.line) == Some(false)
        });
        if is_absent {
            continue;
        }
        let Some(output) = resolve(scope, &entry.node) else {
            continue;
        };
        let mut properties = Properties::of(&output, "an output", scope.report);
        properties.without_effect(&["Condition", "Description", "Export"]);
        properties.required("Value");
        properties.finish();
    }
}
