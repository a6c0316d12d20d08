//! What names mean: parameters, pseudo-parameters, conditions, resources.
//!
//! Invariant: a name that means nothing is a problem on its line, wherever it stands, also under
//! properties that have no effect here.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{FUNCTION_ROLE, FUNCTION_URL, Kind, ResourceType};
use crate::conditions::Conditions;
use crate::parameters::Values;
use crate::problem::Report;
use crate::resources::Resource;
use crate::{Context, SECRET_ARN_SUFFIX};

/// Longest text that references are filled into, in bytes.
const MAX_TEXT_BYTES: usize = 65_536;

/// The one partition that is emulated.
const PARTITION: &str = "aws";

/// Everything that a reference may name.
pub(crate) struct Scope<'run> {
    pub(crate) report: &'run Report,
    context: &'run Context,
    parameters: &'run Values,
    conditions: &'run Conditions,
    /// None while names and conditions are worked out: those may refer to parameters alone.
    resources: Option<&'run BTreeMap<String, Resource<'run>>>,
    /// Whether what conditions leave out is looked at as if it existed.
    hypothetical: bool,
}

impl<'run> Scope<'run> {
    /// Where only parameters can be referred to.
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

    /// This, and the resources.
    pub(crate) fn with_resources(&self, resources: &'run BTreeMap<String, Resource<'run>>) -> Self {
        Self {
            resources: Some(resources),
            ..*self
        }
    }

    /// This, where conditions leave out nothing: what a deployment with other parameters would see
    /// is checked in it, and then thrown away.
    pub(crate) fn hypothetical(&self) -> Self {
        Self {
            hypothetical: true,
            ..*self
        }
    }

    /// Logical ids and resources of one kind that exist.
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

    /// Those of [`Self::of_kind`] that are to be read: all, or hypothetically those that are left
    /// out otherwise.
    pub(crate) fn to_read(
        &self,
        kind: Kind,
    ) -> impl Iterator<Item = (&'run str, &'run Resource<'run>)> + use<'run> {
        let hypothetical = self.hypothetical;
        self.of_kind(kind)
            .filter(move |(_, resource)| resource.present != hypothetical)
    }

    pub(crate) fn is_parameter(&self, name: &str) -> bool {
        self.parameters.contains_key(name)
    }

    /// Whether the condition holds; None, and a problem, if there is none of that name.
    pub(crate) fn condition(&self, name: &str, line: usize) -> Option<bool> {
        let holds = self.conditions.get(name);
        if holds.is_none() {
            self.report
                .add(line, format!("there is no condition `{name}`"));
        }
        holds
    }

    /// What `!Ref name` gives; None, and a problem, if it names nothing.
    pub(crate) fn reference(&self, name: &str, line: usize) -> Option<String> {
        if let Some(value) = self.parameters.get(name) {
            return value.clone();
        }
        let pseudo_parameter = match name {
            "AWS::AccountId" => Some(self.context.account_id.clone()),
            "AWS::Partition" => Some(PARTITION.to_owned()),
            "AWS::Region" => Some(self.context.region.clone()),
            "AWS::StackId" => Some(self.fill(
                "arn:aws:cloudformation:{region}:{account}:stack/{stack}",
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
        let (resource_type, physical_name) = self.resource(name, line)?;
        Some(self.fill(resource_type.reference, name, &physical_name))
    }

    /// What `!GetAtt id.attribute` gives; None, and a problem, if there is no such thing.
    pub(crate) fn attribute(&self, id: &str, attribute: &str, line: usize) -> Option<String> {
        let (resource_type, physical_name) = self.resource(id, line)?;
        let Some((_, pattern)) = resource_type
            .attributes
            .iter()
            .find(|(name, _)| *name == attribute)
        else {
            self.report.add(
                line,
                format!("`{attribute}` of {} is not understood", resource_type.name),
            );
            return None;
        };
        let key = (id.to_owned(), attribute.to_owned());
        let given = self.context.attributes.get(&key).cloned();
        let pattern = pattern.or(self.hypothetical.then_some("{name}"));
        let value = given.or_else(|| pattern.map(|pattern| self.fill(pattern, id, &physical_name)));
        if value.is_none() {
            self.report.add(
                line,
                format!("`{id}.{attribute}` is known to a deployment alone, and was not given"),
            );
        }
        value
    }

    /// The physical name of a resource that sets none.
    pub(crate) fn default_name(&self, resource_type: &ResourceType, id: &str) -> String {
        let name = self.fill(resource_type.default_name, id, "");
        if resource_type.kind == Kind::Bucket {
            name.to_lowercase()
        } else {
            name
        }
    }

    /// A resource's type and physical name.
    fn resource(&self, id: &str, line: usize) -> Option<(&'static ResourceType, String)> {
        let Some(resources) = self.resources else {
            self.report.add(
                line,
                format!("`{id}` is no parameter, and nothing else may be referred to here"),
            );
            return None;
        };
        if let Some(resource) = resources.get(id) {
            if resource.present || self.hypothetical {
                return Some((resource.definition, resource.physical_name.clone()));
            }
            self.report
                .add(line, format!("`{id}` is left out by its condition"));
            return None;
        }
        let implied = self.implied(id, resources);
        if implied.is_none() {
            self.report.add(
                line,
                format!("`{id}` is neither a parameter nor a resource"),
            );
        }
        implied.map(|resource_type| (resource_type, self.default_name(resource_type, id)))
    }

    fn fill(&self, pattern: &str, id: &str, name: &str) -> String {
        pattern
            .replace("{queue_url_base}", &self.context.queue_url_base)
            .replace("{secret_suffix}", SECRET_ARN_SUFFIX)
            .replace("{region}", &self.context.region)
            .replace("{account}", &self.context.account_id)
            .replace("{stack}", &self.context.stack_name)
            .replace("{id}", id)
            .replace("{name}", name)
    }

    /// `text`, unless it grew beyond what any property holds.
    pub(crate) fn bounded(&self, text: String, line: usize) -> Option<String> {
        if text.len() > MAX_TEXT_BYTES {
            self.report
                .add(line, format!("a text longer than {MAX_TEXT_BYTES} bytes"));
            return None;
        }
        Some(text)
    }

    /// Every name that a resource may have been given twice.
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
                        format!("the name `{}` is taken twice", resource.physical_name),
                    );
                }
            }
        }
    }
    /// The type of what SAM makes of a function beside the function itself.
    fn implied(
        &self,
        id: &str,
        resources: &BTreeMap<String, Resource<'_>>,
    ) -> Option<&'static ResourceType> {
        let function = |suffix| {
            let function = resources.get(id.strip_suffix(suffix)?)?;
            let exists = function.present || self.hypothetical;
            (exists && function.definition.kind == Kind::Function).then_some(function)
        };
        if function("Url")
            .is_some_and(|function| function.properties.get("FunctionUrlConfig").is_some())
        {
            return Some(&FUNCTION_URL);
        }
        function("Role").map(|_| &FUNCTION_ROLE)
    }
}
