//! OpenAPI links: from an operation that creates a resource to the operations that take its id.
//!
//! Links are derived from types: an operation is linked if one of its path parameters has the type
//! of the created id. Its other path parameters come from the path of the creating operation.

use http_api::describe::Endpoint;
use serde_json::{Map, Value, json};

use crate::operation::{Operation, resolved};

/// Names of the id field in responses.
const ID_FIELDS: [&str; 2] = ["id", "file_id"];

/// An id in the response of an operation.
struct CreatedId {
    /// Reference to the schema of the id.
    schema: String,
    /// Runtime expression that evaluates to the id.
    expression: String,
}

/// Adds links to every operation that responds with 201.
pub(crate) fn add_links(operations: &mut [Operation], schemas: &Map<String, Value>) {
    let links: Vec<_> = operations
        .iter()
        .map(|operation| links_of(operation, operations, schemas))
        .collect();

    for (operation, links) in operations.iter_mut().zip(links) {
        if !links.is_empty() {
            operation.description["responses"]["201"]["links"] = Value::Object(links);
        }
    }
}

/// Returns the links of an operation, by the id of the target operation.
fn links_of(
    operation: &Operation,
    operations: &[Operation],
    schemas: &Map<String, Value>,
) -> Map<String, Value> {
    let Some(created) = created_id(&operation.description, schemas) else {
        return Map::new();
    };

    let links: Vec<_> = operations
        .iter()
        .filter_map(|target| Some((target, parameters(operation, target, &created)?)))
        .collect();

    // Keys of accounts and of spaces share one id type. If operations exist below the path of the
    // collection, only those belong to it.
    let is_below = |target: &Endpoint| {
        let rest = target.path.strip_prefix(operation.endpoint.path);
        rest.is_some_and(|rest| rest.starts_with("/{"))
    };
    let any_below = links.iter().any(|(target, _)| is_below(&target.endpoint));
    let is_own = |target: &Endpoint| target.path == operation.endpoint.path || is_below(target);
    links
        .into_iter()
        .filter(|(target, _)| !any_below || is_own(&target.endpoint))
        .map(|(target, parameters)| {
            let id = target.endpoint.id;
            (
                id.to_owned(),
                json!({"operationId": id, "parameters": parameters}),
            )
        })
        .collect()
}

/// Finds the id of the created resource in a response, or in its `data`.
fn created_id(description: &Value, schemas: &Map<String, Value>) -> Option<CreatedId> {
    let body = &description["responses"]["201"]["content"]["application/json"]["schema"];
    let data = &body["properties"]["data"];
    let view = if data.is_null() { body } else { data };
    let pointer = if data.is_null() { "" } else { "/data" };

    let resolved_view = resolved(view, schemas);
    // The first of several views describes a single resource.
    let single = resolved_view["anyOf"]
        .get(0)
        .map_or(resolved_view, |first| resolved(first, schemas));
    ID_FIELDS.into_iter().find_map(|field| {
        let schema = single["properties"][field]["$ref"].as_str()?.to_owned();
        Some(CreatedId {
            schema,
            expression: format!("$response.body#{pointer}/{field}"),
        })
    })
}

/// Returns the source of each parameter of the target. Returns `None` if the created id is not one
/// of them, or if a path parameter has no source.
fn parameters(
    operation: &Operation,
    target: &Operation,
    created: &CreatedId,
) -> Option<Map<String, Value>> {
    let in_path = |operation: &Operation| -> Vec<Value> {
        let parameters = operation.description["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        parameters
            .into_iter()
            .filter(|parameter| parameter["in"] == "path")
            .collect()
    };
    let given = in_path(operation);

    let mut takes_created = false;
    let mut parameters = Map::new();
    for parameter in in_path(target) {
        let name = parameter["name"].as_str()?;
        let is_created = parameter["schema"]["$ref"] == created.schema.as_str();
        let expression = if is_created {
            takes_created = true;
            created.expression.clone()
        } else {
            given
                .contains(&parameter)
                .then(|| format!("$request.path.{name}"))?
        };
        parameters.insert(format!("path.{name}"), json!(expression));
    }
    // `DELETE /spaces` takes the id as a query parameter.
    let is_same_path = operation.endpoint.path == target.endpoint.path;
    if is_same_path && required_query_id(target) {
        takes_created = true;
        parameters.insert("query.id".to_owned(), json!(created.expression));
    }
    takes_created.then_some(parameters)
}

/// Returns whether an operation requires the query parameter `id`.
fn required_query_id(operation: &Operation) -> bool {
    let is_id = |parameter: &Value| {
        parameter["in"] == "query" && parameter["name"] == "id" && parameter["required"] == true
    };
    operation.description["parameters"]
        .as_array()
        .is_some_and(|parameters| parameters.iter().any(is_id))
}
