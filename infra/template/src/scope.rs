//! Resolves names: parameters, pseudo parameters, conditions and resources.
//!
//! Invariant: an unknown name is reported with its line, also in properties without an effect.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{FUNCTION_URL, Kind, ResourceDefinition};
use crate::context::{Context, SECRET_ARN_SUFFIX};
use crate::diagnostic::Report;
use crate::node::{Node, NodeValue};
use crate::parameters::Values;
use crate::resource::Resource;

/// Values of the conditions by name.
pub(crate) type Conditions = BTreeMap<String, bool>;

/// Maximum length of a text after substitution, in bytes.
const MAX_TEXT_BYTES: usize = 65_536;

/// The emulated partition.
const PARTITION: &str = "aws";

/// A resource that a reference names.
struct NamedResource {
    definition: &'static ResourceDefinition,
    physical_name: String,
}

/// The names that a reference may use.
pub(crate) struct Scope<'run> {
    pub(crate) report: &'run Report,
    context: &'run Context,
    parameters: &'run Values,
    conditions: &'run Conditions,
    /// `None` while conditions and names are resolved, which may refer to parameters only.
    resources: Option<&'run BTreeMap<String, Resource<'run>>>,
    /// Whether resources with a false condition count as present.
    hypothetical: bool,
}

impl<'run> Scope<'run> {
    /// Creates a scope of parameters and conditions.
    pub(crate) fn of_parameters(
        context: &'run Context,
        parameters: &'run Values,
        conditions: &'run Conditions,
        report: &'run Report,
    ) -> Self {
        Self {
            report,
            context,
            parameters,
            conditions,
            resources: None,
            hypothetical: false,
        }
    }

    /// Adds the resources.
    pub(crate) fn with_resources(&self, resources: &'run BTreeMap<String, Resource<'run>>) -> Self {
        Self {
            resources: Some(resources),
            ..*self
        }
    }

    /// Ignores conditions, to check what a deployment with other parameters would contain. The
    /// result is discarded.
    pub(crate) fn hypothetical(&self) -> Self {
        Self {
            hypothetical: true,
            ..*self
        }
    }

    /// Returns the present resources of a kind, with their logical ids.
    pub(crate) fn of_kind(
        &self,
        kind: Kind,
    ) -> impl Iterator<Item = (&'run str, &'run Resource<'run>)> + use<'run> {
        let hypothetical = self.hypothetical;
        let all = self.resources.into_iter().flatten();
        all.map(|(id, resource)| (id.as_str(), resource))
            .filter(move |(_, resource)| {
                resource.definition.kind == kind && (resource.present || hypothetical)
            })
    }

    /// Returns the resources of [`Self::of_kind`] to read: all, or in a hypothetical scope only
    /// those with a false condition.
    pub(crate) fn to_read(
        &self,
        kind: Kind,
    ) -> impl Iterator<Item = (&'run str, &'run Resource<'run>)> + use<'run> {
        let hypothetical = self.hypothetical;
        self.of_kind(kind)
            .filter(move |(_, resource)| resource.present != hypothetical)
    }

    /// Returns the present resource of a kind whose attribute has the value of `node`; without an
    /// attribute, whose reference has it. Reports an error if there is none.
    pub(crate) fn expect(
        &self,
        kind: Kind,
        attribute: Option<&str>,
        node: &Node,
    ) -> Option<(&'run str, &'run Resource<'run>)> {
        let found = self.of_kind(kind).find(|(id, resource)| {
            let value = match attribute {
                Some(name) => self.attribute(id, name, resource.line),
                None => self.reference(id, resource.line),
            };
            value.is_some() && value.as_deref() == node.text()
        });

        if found.is_none() && node.value != NodeValue::Broken {
            let noun = kind.noun();
            let message = match attribute {
                Some(name) => format!("this must be the {name} of a {noun} of this template"),
                None => format!("this must refer to a {noun} of this template"),
            };
            self.report.add(node.line, message);
        }
        found
    }

    pub(crate) fn is_parameter(&self, name: &str) -> bool {
        self.parameters.contains_key(name)
    }

    /// Returns the value of a condition. Reports an error if it does not exist.
    pub(crate) fn condition(&self, name: &str, line: usize) -> Option<bool> {
        let holds = self.conditions.get(name).copied();
        if holds.is_none() {
            self.report
                .add(line, format!("there is no condition `{name}`"));
        }
        holds
    }

    /// Returns the value of `!Ref name`. Reports an error if the name does not exist.
    pub(crate) fn reference(&self, name: &str, line: usize) -> Option<String> {
        if let Some(value) = self.parameters.get(name) {
            return value.clone();
        }

        let pseudo_parameter = match name {
            "AWS::AccountId" => Some(self.context.account_id.clone()),
            "AWS::Partition" => Some(PARTITION.to_owned()),
            "AWS::Region" => Some(self.context.region.clone()),
            "AWS::StackId" => Some(self.fill(
                "arn:aws:cloudformation:{region}:{account}:stack/{stack}/00000000-0000-0000-0000-000000000000",
                "",
                "",
            )),
            "AWS::StackName" => Some(self.context.stack_name.clone()),
            "AWS::URLSuffix" => Some("amazonaws.com".to_owned()),
            _ => None,
        };

        if pseudo_parameter.is_some() {
            return pseudo_parameter;
        }

        let resource = self.resource(name, line)?;
        Some(self.fill(resource.definition.reference, name, &resource.physical_name))
    }

    /// Returns the value of `!GetAtt id.attribute`. Reports an error if it does not exist.
    pub(crate) fn attribute(&self, id: &str, attribute: &str, line: usize) -> Option<String> {
        let resource = self.resource(id, line)?;
        let Some(definition) = resource
            .definition
            .attributes
            .iter()
            .find(|candidate| candidate.name == attribute)
        else {
            self.report.add(
                line,
                format!(
                    "`{attribute}` of {} is not supported",
                    resource.definition.name
                ),
            );
            return None;
        };

        let key = (id.to_owned(), attribute.to_owned());
        let given = self.context.attributes.get(&key).cloned();

        // A hypothetical resource was not deployed: any value will do.
        let pattern = definition.pattern.or(self.hypothetical.then_some("{name}"));
        let value = given
            .or_else(|| pattern.map(|pattern| self.fill(pattern, id, &resource.physical_name)));

        if value.is_none() {
            self.report.add(
                line,
                format!(
                    "`{id}.{attribute}` is known only after a deployment, and no value was given"
                ),
            );
        }

        value
    }

    /// Returns the physical name of a resource without an explicit name.
    pub(crate) fn default_name(&self, resource_type: &ResourceDefinition, id: &str) -> String {
        let name = self.fill(resource_type.default_name, id, "");
        if resource_type.kind == Kind::Bucket {
            name.to_lowercase()
        } else {
            name
        }
    }

    /// Returns the resource with a logical id. Reports an error if it does not exist.
    fn resource(&self, id: &str, line: usize) -> Option<NamedResource> {
        let Some(resources) = self.resources else {
            self.report.add(
                line,
                format!("`{id}` is not a parameter; only parameters can be referenced here"),
            );
            return None;
        };

        if let Some(resource) = resources.get(id) {
            if resource.present || self.hypothetical {
                return Some(NamedResource {
                    definition: resource.definition,
                    physical_name: resource.physical_name.clone(),
                });
            }
            self.report.add(
                line,
                format!("`{id}` does not exist, because its condition is false"),
            );
            return None;
        }

        let implied = self.implied(id, resources);
        if implied.is_none() {
            self.report.add(
                line,
                format!("`{id}` is neither a parameter nor a resource"),
            );
        }

        implied.map(|definition| NamedResource {
            definition,
            physical_name: self.default_name(definition, id),
        })
    }

    /// Fills the placeholders of a pattern.
    pub(crate) fn fill(&self, pattern: &str, id: &str, name: &str) -> String {
        pattern
            .replace("{queue_url_base}", &self.context.queue_url_base)
            .replace("{secret_suffix}", SECRET_ARN_SUFFIX)
            .replace("{region}", &self.context.region)
            .replace("{account}", &self.context.account_id)
            .replace("{stack}", &self.context.stack_name)
            .replace("{id}", id)
            .replace("{name}", name)
    }

    /// Returns `text`. Reports an error if it is longer than any property can be.
    pub(crate) fn bounded(&self, text: String, line: usize) -> Option<String> {
        if text.len() > MAX_TEXT_BYTES {
            self.report
                .add(line, format!("a text longer than {MAX_TEXT_BYTES} bytes"));
            return None;
        }
        Some(text)
    }

    /// Reports physical names that two resources of one kind share.
    pub(crate) fn report_shared_names(&self) {
        for kind in [
            Kind::Table,
            Kind::Bucket,
            Kind::Queue,
            Kind::Function,
            Kind::Rule,
        ] {
            let mut names = BTreeSet::new();
            for (_, resource) in self.of_kind(kind) {
                if !names.insert(&resource.physical_name) {
                    self.report.add(
                        resource.line,
                        format!("the name `{}` is used twice", resource.physical_name),
                    );
                }
            }
        }
    }

    /// Returns the type of the function URL that SAM creates from a function.
    fn implied(
        &self,
        id: &str,
        resources: &BTreeMap<String, Resource<'_>>,
    ) -> Option<&'static ResourceDefinition> {
        let function = resources.get(id.strip_suffix("Url")?)?;
        let exists = function.present || self.hypothetical;
        let has_url = function.properties.get("FunctionUrlConfig").is_some();
        (exists && has_url).then_some(&FUNCTION_URL)
    }
}
