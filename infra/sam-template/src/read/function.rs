//! Lambda functions.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::json;

use super::policy::permissions_of_role;
use crate::{
    error::TemplateError,
    model::{Function, RecursiveLoop},
    resources::Resources,
    text::parsed,
};

/// Variable with the ARN of the role that presigns URLs.
const PRESIGN_ROLE_VARIABLE: &str = "PRESIGN_ROLE_ARN";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct FunctionProperties {
    #[serde(deserialize_with = "parsed")]
    timeout: u32,
    #[serde(deserialize_with = "parsed")]
    memory_size: u32,
    #[serde(default)]
    environment: Environment,
    role: Option<String>,
    #[serde(default)]
    recursive_loop: RecursiveLoop,
    /// Its properties are fixed. The distribution refers to it.
    #[serde(rename = "FunctionUrlConfig")]
    _url: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Environment {
    variables: BTreeMap<String, String>,
}

/// Reads a function with the permissions of its role.
pub(super) fn read(id: &str, resources: &Resources<'_>) -> Result<Function, TemplateError> {
    let properties: FunctionProperties = resources.properties(id)?;
    let binary = resources.metadata(id, "/BuildProperties/Binary");
    let binary = binary
        .ok_or_else(|| TemplateError::new("Metadata", "`BuildProperties.Binary` must be a text"))?;
    let lambda = json!({ "Service": "lambda.amazonaws.com" });
    let permissions = match &properties.role {
        Some(role) => permissions_of_role(role, &lambda, resources)?,
        None => Vec::new(),
    };
    let environment = properties.environment.variables;
    let presign_permissions = match environment.get(PRESIGN_ROLE_VARIABLE) {
        Some(presign_role) => {
            let function = json!({ "AWS": properties.role });
            Some(permissions_of_role(presign_role, &function, resources)?)
        }
        None => None,
    };

    Ok(Function {
        logical_id: id.to_owned(),
        binary: binary.to_owned(),
        timeout_seconds: properties.timeout,
        memory_mib: properties.memory_size,
        environment,
        permissions,
        presign_permissions,
        recursive_loop: properties.recursive_loop,
    })
}
