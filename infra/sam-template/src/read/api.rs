//! The HTTP API: routes from its OpenAPI definition.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::policy::require_invocation;
use crate::{error::TemplateError, model::Route, resources::Resources, scope::FUNCTION};

/// The operation of a path for all methods.
const ANY_METHOD: &str = "x-amazon-apigateway-any-method";

/// Reference to a shared integration, up to its name.
const INTEGRATIONS: &str = "#/components/x-amazon-apigateway-integrations/";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Api {
    definition_body: Definition,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    components: Components,
    paths: BTreeMap<String, BTreeMap<String, Operation>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Components {
    #[serde(rename = "x-amazon-apigateway-integrations")]
    integrations: BTreeMap<String, Integration>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Integration {
    uri: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    #[serde(rename = "x-amazon-apigateway-integration")]
    integration: Reference,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    #[serde(rename = "$ref")]
    path: String,
}

/// Reads the routes of the API. Fails if it may not invoke one of its functions.
pub(super) fn read(resources: &Resources<'_>) -> Result<Vec<Route>, TemplateError> {
    match resources.at_most_one("AWS::Serverless::HttpApi")? {
        Some(id) => routes(id, resources).map_err(|error| error.within(id)),
        None => Ok(Vec::new()),
    }
}

fn routes(id: &str, resources: &Resources<'_>) -> Result<Vec<Route>, TemplateError> {
    let Api { definition_body } = resources.properties(id)?;
    let integrations = definition_body.components.integrations;
    let mut functions = BTreeMap::new();
    for (name, integration) in &integrations {
        let function = function_at(&integration.uri, resources)?;
        require_invocation(function, id, resources)?;
        functions.insert(name.as_str(), function);
    }

    let mut routes = Vec::new();
    for (path, operations) in definition_body.paths {
        for (method, operation) in operations {
            let reference = operation.integration.path;
            let name = reference.strip_prefix(INTEGRATIONS);
            let function = name.and_then(|name| functions.get(name)).ok_or_else(|| {
                TemplateError::new(&path, format!("there is no integration `{reference}`"))
            })?;
            routes.push(Route {
                method: match method.as_str() {
                    ANY_METHOD => "ANY".to_owned(),
                    method => method.to_ascii_uppercase(),
                },
                path: path.clone(),
                function: (*function).to_owned(),
            });
        }
    }
    Ok(routes)
}

/// Returns the logical id of the function that the URI of an integration invokes.
fn function_at<'run>(
    uri: &str,
    resources: &'run Resources<'_>,
) -> Result<&'run str, TemplateError> {
    let invoked = uri.split_once("/functions/");
    let arn = invoked.and_then(|(_, invoked)| invoked.strip_suffix("/invocations"));
    resources.find(FUNCTION, Some("Arn"), arn.unwrap_or(uri))
}
