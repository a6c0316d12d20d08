//! Links of OpenAPI: from an operation that creates a resource to the operations that take its id.
//!
//! They follow from types: the id of a created resource has a type of its own, and so have the
//! parameters of paths. Other parameters of a path come from the path that created the resource.

use serde_json::{Map, Value, json};
use web::Endpoint;

use crate::{Operation, SCHEMAS};

/// Names of an id in a response.
const ID_FIELDS: [&str; 2] = ["id", "file_id"];

/// An id in the response of an operation.
struct CreatedId {
    /// Reference to its schema.
    schema: String,
    /// Runtime expression that evaluates to it.
    expression: String,
}

/// Adds links to every operation that answers 201.
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

/// Returns the links of an operation by the ids of the operations that they lead to.
fn links_of(
    operation: &Operation,
    operations: &[Operation],
    schemas: &Map<String, Value>,
) -> Map<String, Value> {
    let Some(created) = created_id(&operation.description, schemas) else {
        return Map::new();
    };
    let links = operations
        .iter()
        .filter_map(|target| Some((target, parameters(operation, target, &created)?)));
    let links: Vec<_> = links.collect();

    // Keys of accounts and of spaces have ids of one type: the resources of a collection are those
    // below its path, if any are.
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

/// Finds the id of what an operation creates: in the response, or in `data` of it.
fn created_id(description: &Value, schemas: &Map<String, Value>) -> Option<CreatedId> {
    let body = &description["responses"]["201"]["content"]["application/json"]["schema"];
    let (view, pointer) = match &body["properties"]["data"] {
        Value::Null => (body, ""),
        data => (data, "/data"),
    };

    let view = resolved(view, schemas);
    // One of several views: the first is that of one resource.
    let view = view["anyOf"]
        .get(0)
        .map_or(view, |first| resolved(first, schemas));
    ID_FIELDS.into_iter().find_map(|field| {
        let schema = view["properties"][field]["$ref"].as_str()?.to_owned();
        Some(CreatedId {
            schema,
            expression: format!("$response.body#{pointer}/{field}"),
        })
    })
}

/// Returns where the target's parameters come from, if the created id is one of them and nothing is
/// missing in the path.
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
    // `DELETE /spaces` takes the id in the query.
    let is_same_path = operation.endpoint.path == target.endpoint.path;
    if is_same_path && required_query_id(target) {
        takes_created = true;
        parameters.insert("query.id".to_owned(), json!(created.expression));
    }
    takes_created.then_some(parameters)
}

/// Whether an operation needs an id in the query.
fn required_query_id(operation: &Operation) -> bool {
    let is_id = |parameter: &Value| {
        parameter["in"] == "query" && parameter["name"] == "id" && parameter["required"] == true
    };
    operation.description["parameters"]
        .as_array()
        .is_some_and(|parameters| parameters.iter().any(is_id))
}

/// Follows a reference to a schema.
fn resolved<'a>(schema: &'a Value, schemas: &'a Map<String, Value>) -> &'a Value {
    let name = schema["$ref"]
        .as_str()
        .and_then(|reference| reference.strip_prefix("#")?.strip_prefix(SCHEMAS));
    name.and_then(|name| schemas.get(name.trim_start_matches('/')))
        .unwrap_or(schema)
}
