//! Replaces functions by their values: the functions that template.yaml uses.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    Context, SECRET_ARN_SUFFIX, Template,
    catalog::{self, ResourceType},
    error::TemplateError,
    parameter,
};

/// Pseudo parameter that removes a property or item.
const NO_VALUE: &str = "AWS::NoValue";
/// Variable of the patterns of a resource type.
const NAME: &str = "Name";
/// Types that the names of resources depend on.
pub(crate) const BUCKET: &str = "AWS::S3::Bucket";
pub(crate) const FUNCTION: &str = "AWS::Serverless::Function";
pub(crate) const FUNCTION_URL: &str = "AWS::Lambda::Url";

/// The names that a reference may use.
pub(crate) struct Scope<'run> {
    /// Parameters and pseudo parameters.
    values: BTreeMap<String, String>,
    conditions: &'run BTreeMap<String, Value>,
    /// Names of the types of the resources whose condition holds, by logical id.
    types: BTreeMap<String, &'run str>,
}

impl<'run> Scope<'run> {
    /// Evaluates the parameters, and finds the resources that exist with them.
    pub(crate) fn new(
        template: &'run Template,
        context: &Context,
    ) -> Result<Scope<'run>, TemplateError> {
        let mut values = parameter::values(&template.parameters, &context.parameters)?;
        let pseudo_parameters = [
            ("AWS::AccountId", context.account_id.as_str()),
            ("AWS::Partition", "aws"),
            ("AWS::Region", &context.region),
            ("AWS::StackName", &context.stack_name),
            ("Local::QueueUrls", &context.queue_url_base),
            ("Local::SecretSuffix", SECRET_ARN_SUFFIX),
        ];
        values.extend(pseudo_parameters.map(|(name, value)| (name.to_owned(), value.to_owned())));

        let mut scope = Scope {
            values,
            conditions: &template.conditions,
            types: BTreeMap::new(),
        };
        for (id, resource) in &template.resources {
            if template.parameters.contains_key(id) {
                // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resources-section-structure.html
                return Err(fail("a parameter has the same name").within(id));
            }
            let exists = match &resource.condition {
                Some(condition) => scope.condition(condition),
                None => Ok(true),
            };
            if exists.map_err(|error| error.within(id))? {
                scope.types.insert(id.clone(), &resource.type_name);
                let has_url = resource.properties.get("FunctionUrlConfig").is_some();
                if resource.type_name == FUNCTION && has_url {
                    scope.types.insert(format!("{id}Url"), FUNCTION_URL);
                }
            }
        }
        Ok(scope)
    }

    /// Returns the logical ids and the names of the types of the resources that exist.
    pub(crate) fn types(&self) -> &BTreeMap<String, &'run str> {
        &self.types
    }

    /// Returns the type of a resource that exists.
    pub(crate) fn resource_type(&self, id: &str) -> Result<&'static ResourceType, TemplateError> {
        let name = self.types.get(id);
        let name = name.ok_or_else(|| fail(format!("there is no resource `{id}`")))?;
        let found = catalog::resource_type(name);
        found.ok_or_else(|| fail(format!("the resource type `{name}` is not supported")).within(id))
    }

    /// Returns the physical name of a resource.
    pub(crate) fn name(&self, id: &str) -> String {
        let name = format!("{}-{id}", self.values["AWS::StackName"]);
        if self.types.get(id) == Some(&BUCKET) {
            let account = &self.values["AWS::AccountId"];
            return format!("{name}-{account}").to_lowercase();
        }
        name
    }

    /// Returns the value of `!Ref name`.
    pub(crate) fn reference(&self, name: &str) -> Result<String, TemplateError> {
        match self.values.get(name) {
            Some(value) => Ok(value.clone()),
            None => self.substitute(&self.resource_type(name)?.reference, Some(name)),
        }
    }

    /// Returns the value of `!GetAtt id.attribute`.
    pub(crate) fn attribute(&self, id: &str, attribute: &str) -> Result<String, TemplateError> {
        let pattern = self.resource_type(id)?.attributes.get(attribute);
        let unknown = || fail(format!("`{id}.{attribute}` is not supported"));
        self.substitute(pattern.ok_or_else(unknown)?, Some(id))
    }

    /// Fills the placeholders of a text. `${Name}` is the physical name of `resource`.
    pub(crate) fn substitute(
        &self,
        text: &str,
        resource: Option<&str>,
    ) -> Result<String, TemplateError> {
        let mut rest = text;
        let mut filled = String::new();
        while let Some((before, after)) = rest.split_once("${") {
            let (variable, after) = after
                .split_once('}')
                .ok_or_else(|| fail("`${` is not closed"))?;

            let value = match (variable.split_once('.'), resource) {
                (None, Some(id)) if variable == NAME => self.name(id),
                (None, _) => self.reference(variable)?,
                (Some((id, attribute)), _) => self.attribute(id, attribute)?,
            };

            filled.extend([before, &value]);
            rest = after;
        }

        filled.push_str(rest);
        Ok(filled)
    }

    /// Replaces every function in a value. Returns `None` for `AWS::NoValue`.
    pub(crate) fn resolve(&self, value: &Value) -> Result<Option<Value>, TemplateError> {
        match value {
            Value::Array(items) => {
                let items = items
                    .iter()
                    .filter_map(|item| self.resolve(item).transpose());
                Ok(Some(Value::Array(items.collect::<Result<_, _>>()?)))
            }
            Value::Object(entries) => match function(entries) {
                Some((name, argument)) => self.call(name, argument),
                None => self.resolve_entries(entries).map(Some),
            },
            scalar => Ok(Some(scalar.clone())),
        }
    }

    fn resolve_entries(&self, entries: &Map<String, Value>) -> Result<Value, TemplateError> {
        let mut resolved = Map::new();
        for (key, value) in entries {
            let value = self.resolve(value).map_err(|error| error.within(key))?;
            resolved.extend(value.map(|value| (key.clone(), value)));
        }
        Ok(Value::Object(resolved))
    }

    fn call(&self, name: &str, argument: &Value) -> Result<Option<Value>, TemplateError> {
        let value = match (name, argument.as_str(), items(argument)) {
            ("Ref", Some(NO_VALUE), _) => return Ok(None),
            ("Ref", Some(name), _) => self.reference(name)?.into(),
            ("Fn::GetAtt", Some(path), _) => {
                let (id, attribute) = path.split_once('.').unwrap_or((path, ""));
                self.attribute(id, attribute)?.into()
            }
            ("Fn::Sub", Some(text), _) => self.substitute(text, None)?.into(),
            ("Fn::If", _, [Value::String(condition), then, otherwise]) => {
                let holds = self.condition(condition)?;
                return self.resolve(if holds { then } else { otherwise });
            }
            ("Fn::Join", _, [Value::String(delimiter), parts]) => {
                let parts = self.resolve(parts)?.unwrap_or_default();
                let parts: Vec<&str> = items(&parts).iter().filter_map(Value::as_str).collect();
                parts.join(delimiter).into()
            }
            ("Fn::Select", _, [Value::String(index), values]) => {
                let values = self.resolve(values)?.unwrap_or_default();
                let index: Option<usize> = index.parse().ok();
                let selected = index.and_then(|index| values.get(index)).cloned();
                selected.ok_or_else(|| fail("`!Select` takes an index of the list"))?
            }
            ("Fn::Split", _, [Value::String(delimiter), text]) => {
                let text = self.resolve(text)?.unwrap_or_default();
                let text = text.as_str();
                let text = text.ok_or_else(|| fail("`!Split` takes a delimiter and a text"))?;
                text.split(delimiter).map(Value::from).collect()
            }
            _ => {
                return Err(fail(format!(
                    "`{name}` is not supported with this argument"
                )));
            }
        };

        Ok(Some(value))
    }

    fn condition(&self, name: &str) -> Result<bool, TemplateError> {
        let condition = self.conditions.get(name);
        let condition = condition.ok_or_else(|| fail(format!("there is no condition `{name}`")))?;
        self.holds(condition)
    }

    fn holds(&self, condition: &Value) -> Result<bool, TemplateError> {
        let function = condition.as_object().and_then(function);
        match function.map(|(name, argument)| (name, items(argument))) {
            Some(("Fn::Equals", [left, right])) => Ok(self.resolve(left)? == self.resolve(right)?),
            Some(("Fn::Not", [negated])) => self.holds(negated).map(|holds| !holds),
            Some(("Fn::And", conditions)) => conditions
                .iter()
                .try_fold(true, |all, condition| Ok(self.holds(condition)? && all)),
            _ => Err(fail(format!("the condition {condition} is not supported"))),
        }
    }
}

/// Returns the name and the argument of a function.
fn function(entries: &Map<String, Value>) -> Option<(&str, &Value)> {
    let (name, argument) = entries.iter().next()?;
    let is_function = entries.len() == 1 && (name == "Ref" || name.starts_with("Fn::"));
    is_function.then_some((name.as_str(), argument))
}

fn items(argument: &Value) -> &[Value] {
    argument.as_array().map_or(&[], Vec::as_slice)
}

fn fail(message: impl Into<String>) -> TemplateError {
    TemplateError::new("", message)
}
