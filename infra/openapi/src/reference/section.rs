//! The section of one endpoint.

use serde_json::Value;

use super::{
    example,
    markdown::{MarkdownTable, anchor, link},
    operation::OperationEntry,
    schema::{self, Schemas},
};

/// Where an operation refers to a response that many share.
const SHARED_RESPONSE: &str = "#/components/responses/";

/// Returns the section of an endpoint.
pub(super) fn section<'a>(operation: &OperationEntry<'a>, schemas: &Schemas<'a>) -> String {
    let tier = operation.description["x-rate-limit-tier"].as_str();
    let head = format!(
        "\n### {}\n\n`{} {}`\n\nCaller: {}. Rate limit: {}.\n",
        operation.summary(),
        operation.method,
        operation.path,
        operation.caller_in_full(),
        tier.unwrap_or_default(),
    );

    let body = operation.body().map(|body| body.section(schemas));
    let parts = [
        head,
        parameters(operation, schemas),
        body.unwrap_or_default(),
        responses(operation, schemas),
        example::request(operation, schemas),
    ];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

fn parameters<'a>(operation: &OperationEntry<'a>, schemas: &Schemas<'a>) -> String {
    let mut table = MarkdownTable::new(&["parameter", "in", "type", "required", "description"]);
    let parameters = operation.description["parameters"].as_array();
    for parameter in parameters.into_iter().flatten() {
        let schema = &parameter["schema"];
        let is_required = parameter["required"] == true;
        let name = parameter["name"].as_str().unwrap_or_default();
        let own = parameter["description"].as_str().map(str::to_owned);

        table.row(&[
            format!("`{name}`"),
            parameter["in"].as_str().unwrap_or_default().to_owned(),
            schemas.type_text(schema),
            if is_required { "yes" } else { "" }.to_owned(),
            own.unwrap_or_else(|| schemas.description(schema, None)),
        ]);
    }

    table.finish()
}

fn responses<'a>(operation: &OperationEntry<'a>, schemas: &Schemas<'a>) -> String {
    let mut own = MarkdownTable::new(&["status", "body", "when"]);
    let mut shared: Vec<String> = Vec::new();
    let responses = operation.description["responses"].as_object();
    for (status, response) in responses.into_iter().flatten() {
        let reference = response["$ref"].as_str();
        if reference.is_some_and(|reference| reference.starts_with(SHARED_RESPONSE)) {
            shared.push(status.clone());
            continue;
        }

        let when = response["description"].as_str().unwrap_or_default();
        let schema = &response["content"]["application/json"]["schema"];
        own.row(&[
            status.clone(),
            response_body(schema, schemas),
            when.to_owned(),
        ]);
    }

    let shared = shared.join(", ");
    let errors = link("Errors", &anchor("Errors"));
    format!("{}\nOther errors: {shared}; see {errors}.\n", own.finish())
}

/// Returns the shape of a response's body.
fn response_body<'a>(schema: &'a Value, schemas: &Schemas<'a>) -> String {
    if schema.is_null() {
        return "none".to_owned();
    }
    if schema::name_of(schema) == Some("Error") {
        return "error".to_owned();
    }
    let data = &schema["properties"]["data"];
    if schema["properties"].get("next_cursor").is_some() {
        let items = schemas.type_text(&data["items"]);
        return format!("{} of {items}", link("page", &anchor("Pages")));
    }
    if data.is_null() {
        schemas.type_text(schema)
    } else {
        format!("`data`: {}", schemas.type_text(data))
    }
}
