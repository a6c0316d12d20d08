//! The HTTP API: routes from its OpenAPI definition.

use std::collections::BTreeSet;

use crate::catalog::{Kind, PERMISSION};
use crate::model::Route;
use crate::node::{Entry, Node};
use crate::properties::Properties;
use crate::resolve::resolve;
use crate::scope::Scope;

/// Name of the only stage without a path prefix, and of the route for requests that match no other.
const DEFAULT: &str = "$default";

/// The operation of a path for all methods.
const ANY_METHOD: &str = "x-amazon-apigateway-any-method";

const METHODS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put"];

/// Reference to a shared integration, up to its name.
const INTEGRATIONS: &str = "#/components/x-amazon-apigateway-integrations/";

/// URI of an integration with the function whose ARN is `{name}`.
const INVOCATION_URI: &str =
    "arn:aws:apigateway:{region}:lambda:path/2015-03-31/functions/{name}/invocations";

/// ARN of all routes of the API `{name}`.
const ALL_ROUTES: &str = "arn:aws:execute-api:{region}:{account}:{name}/*";

/// Service principal of API Gateway.
const API_GATEWAY: &str = "apigateway.amazonaws.com";

/// Reads the routes of the API. Reports functions that it is not permitted to invoke.
pub(super) fn read(id: &str, properties: &mut Properties<'_, '_>, scope: &Scope<'_>) -> Vec<Route> {
    properties.fixed("StageName", DEFAULT);
    let Some(definition) = properties.take("DefinitionBody") else {
        return Vec::new();
    };

    let mut definition = Properties::of(definition, "an API's definition", scope.report);
    definition.without_effect(&["info", "openapi"]);
    let integrations = definition
        .required("components")
        .map(|components| integrations(components, scope))
        .unwrap_or_default();
    definition.required("paths");
    let paths = definition.entries("paths");
    definition.finish();

    let mut routes = Vec::new();
    let mut distinct = BTreeSet::new();
    for path in paths {
        check_path(path, scope);
        for operation in path.node.map().unwrap_or_default() {
            let Some(route) = route(&path.key, operation, &integrations, scope) else {
                continue;
            };
            if !distinct.insert((route.method.clone(), without_names(&path.key))) {
                let message = format!(
                    "the route `{} {}` is defined twice",
                    route.method, route.path
                );
                scope.report.add(operation.line, message);
            }
            routes.push(route);
        }
    }
    for integration in &integrations {
        check_permission(id, integration, scope);
    }
    routes
}

/// An integration with a function.
struct Integration<'tree> {
    name: &'tree str,
    line: usize,
    /// Logical id of the function.
    function: String,
}

/// Reads the shared integrations: functions that receive events in the format 2.0.
fn integrations<'tree>(components: &'tree Node, scope: &Scope<'_>) -> Vec<Integration<'tree>> {
    let mut properties = Properties::of(components, "components", scope.report);
    let entries = properties.entries("x-amazon-apigateway-integrations");
    properties.finish();

    let integration = |entry: &'tree Entry| {
        let mut properties = Properties::of(&entry.node, "an integration", scope.report);
        for (name, only) in [
            ("type", "aws_proxy"),
            ("httpMethod", "POST"),
            ("payloadFormatVersion", "2.0"),
        ] {
            properties.required(name);
            properties.fixed(name, only);
        }
        let uri = properties.required("uri");
        properties.finish();

        Some(Integration {
            name: &entry.key,
            line: entry.line,
            function: function_at(uri?, scope)?,
        })
    };
    entries.iter().filter_map(integration).collect()
}

/// Returns the logical id of the function that a URI invokes.
fn function_at(uri: &Node, scope: &Scope<'_>) -> Option<String> {
    let has_uri = |id: &str, line| {
        let arn = scope.attribute(id, "Arn", line)?;
        let own_uri = scope.fill(INVOCATION_URI, "", &arn);
        Some(uri.text()? == own_uri)
    };
    let function = scope
        .of_kind(Kind::Function)
        .find(|(id, function)| has_uri(id, function.line) == Some(true));

    if function.is_none() {
        let message = "`uri` must invoke a function of this template";
        scope.report.add(uri.line, message);
    }
    function.map(|(id, _)| id.to_owned())
}

fn route(
    path: &str,
    operation: &Entry,
    integrations: &[Integration<'_>],
    scope: &Scope<'_>,
) -> Option<Route> {
    let method = match operation.key.as_str() {
        ANY_METHOD => "ANY".to_owned(),
        method if METHODS.contains(&method) => method.to_ascii_uppercase(),
        other => {
            let message = format!("the method `{other}` is not supported");
            scope.report.add(operation.line, message);
            return None;
        }
    };

    let mut properties = Properties::of(&operation.node, "an operation", scope.report);
    if path == DEFAULT {
        properties.required("isDefaultRoute");
        properties.fixed("isDefaultRoute", "true");
    }
    let integration = properties.required("x-amazon-apigateway-integration");
    properties.finish();

    let mut properties = Properties::of(integration?, "an operation's integration", scope.report);
    let reference = properties.required_text("$ref");
    properties.finish();
    let name = reference?.strip_prefix(INTEGRATIONS);
    let integration = integrations
        .iter()
        .find(|integration| Some(integration.name) == name);
    if integration.is_none() {
        let message = "`$ref` must name an integration of this API";
        scope.report.add(operation.line, message);
    }

    Some(Route {
        method,
        path: path.to_owned(),
        function: integration?.function.clone(),
    })
}

/// Reports a path unless it consists of literal segments and `{name}`s, without a greedy parameter or a
/// trailing slash.
fn check_path(path: &Entry, scope: &Scope<'_>) {
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-._~".contains(c))
    };
    let is_segment = |segment: &str| {
        let parameter = segment
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        is_name(parameter.unwrap_or(segment))
    };
    let is_explicit = |segments: &str| segments.is_empty() || segments.split('/').all(is_segment);

    let path_text = &path.key;
    if path_text != DEFAULT && !path_text.strip_prefix('/').is_some_and(is_explicit) {
        let message =
            format!("the path `{path_text}` is not supported: use literal segments and {{names}}");
        scope.report.add(path.line, message);
    }
    if path.node.map().is_none() {
        scope.report.add(path.line, "a path must be a mapping");
    }
}

/// Replaces each parameter by `{}`: paths that differ only in names match the same requests.
fn without_names(path: &str) -> String {
    let segment = |segment: &str| {
        let is_parameter = segment.starts_with('{');
        if is_parameter { "{}" } else { segment }.to_owned()
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Reports an integration with a function that the API is not permitted to invoke: on AWS its requests
/// would get 500.
fn check_permission(api: &str, integration: &Integration<'_>, scope: &Scope<'_>) {
    let line = integration.line;
    let source = scope.reference(api, line);
    let source = source.map(|api| scope.fill(ALL_ROUTES, "", &api));
    let expected = [
        ("Action", Some("lambda:InvokeFunction".to_owned())),
        ("FunctionName", scope.reference(&integration.function, line)),
        ("Principal", Some(API_GATEWAY.to_owned())),
        ("SourceArn", source),
    ];

    let mut permissions = scope
        .of_kind(Kind::Inert)
        .filter(|(_, resource)| resource.definition.name == PERMISSION)
        .filter_map(|(_, resource)| resolve(scope, &resource.properties));
    let is_permitted = permissions.any(|permission| {
        expected
            .iter()
            .all(|(name, value)| permission.get(name).and_then(Node::text) == value.as_deref())
    });
    if !is_permitted {
        let function = &integration.function;
        let message = format!("no permission allows the API to invoke `{function}`");
        scope.report.add(line, message);
    }
}
