//! The resources that exist, by type and by reference.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Resource, Template,
    error::TemplateError,
    scope::{FUNCTION, Scope},
    text,
};

/// The resources of a template that exist with the parameters of a deployment.
pub(crate) struct Resources<'run> {
    template: &'run Template,
    pub(crate) scope: Scope<'run>,
}

impl<'run> Resources<'run> {
    pub(crate) fn new(template: &'run Template, scope: Scope<'run>) -> Resources<'run> {
        Resources { template, scope }
    }

    /// Returns the logical ids of a type.
    pub(crate) fn ids(&self, type_name: &str) -> impl Iterator<Item = &str> {
        let types = self.scope.types().iter();
        types
            .filter(move |(_, name)| **name == type_name)
            .map(|(id, _)| id.as_str())
    }

    /// Reads all resources of a type.
    pub(crate) fn each<T>(
        &self,
        type_name: &str,
        read: impl Fn(&str, &Self) -> Result<T, TemplateError>,
    ) -> Result<Vec<T>, TemplateError> {
        let read = |id| read(id, self).map_err(|error| error.within(id));
        self.ids(type_name).map(read).collect()
    }

    /// Returns the logical id of the only resource of a type, if there is one: the local stack has
    /// one gateway and one CDN.
    pub(crate) fn at_most_one(&self, type_name: &str) -> Result<Option<&str>, TemplateError> {
        let mut ids = self.ids(type_name);
        let first = ids.next();
        match ids.next() {
            Some(second) => Err(TemplateError::new(second, format!("a second {type_name}"))),
            None => Ok(first),
        }
    }

    /// Reads the properties of a resource.
    pub(crate) fn properties<T: DeserializeOwned>(&self, id: &str) -> Result<T, TemplateError> {
        let resource = &self.template.resources[id];
        let resource_type = self.scope.resource_type(id)?;
        let resolved = |properties: &Value| {
            let mut properties = properties.clone();
            resource_type.remove_without_effect(&mut properties);
            let resolved = self.scope.resolve(&properties)?;
            Ok(resolved.unwrap_or_default())
        };

        let mut properties = resolved(&resource.properties)?;
        if resource.type_name == FUNCTION {
            properties = merged(resolved(&self.template.globals.function)?, properties);
        }
        resource_type.remove_only(&mut properties)?;
        text::typed(properties)
    }

    /// Reads the properties of the resource that [`Self::find`] returns.
    pub(crate) fn referenced<T: DeserializeOwned>(
        &self,
        type_name: &str,
        attribute: Option<&str>,
        value: &str,
    ) -> Result<T, TemplateError> {
        let id = self.find(type_name, attribute, value)?;
        self.properties(id).map_err(|error| error.within(id))
    }

    /// Returns the text at a path in the metadata of a resource.
    pub(crate) fn metadata(&self, id: &str, path: &str) -> Option<&str> {
        let Resource { metadata, .. } = &self.template.resources[id];
        metadata.pointer(path)?.as_str()
    }

    /// Returns the logical id of the resource of a type whose attribute has a value; without an
    /// attribute, whose reference has it.
    pub(crate) fn find(
        &self,
        type_name: &str,
        attribute: Option<&str>,
        value: &str,
    ) -> Result<&str, TemplateError> {
        for id in self.ids(type_name) {
            let own = match attribute {
                Some(attribute) => self.scope.attribute(id, attribute)?,
                None => self.scope.reference(id)?,
            };
            if own == value {
                return Ok(id);
            }
        }
        let what = attribute.unwrap_or("reference");
        let message = format!("`{value}` is not the {what} of an {type_name} of this template");
        Err(TemplateError::new("", message))
    }
}

/// Merges properties as SAM merges `Globals`: mappings by key. Other values are replaced.
fn merged(globals: Value, own: Value) -> Value {
    match (globals, own) {
        (Value::Object(mut globals), Value::Object(own)) => {
            for (key, value) in own {
                let global = globals.remove(&key).unwrap_or_default();
                globals.insert(key, merged(global, value));
            }
            Value::Object(globals)
        }
        (_, own) => own,
    }
}
