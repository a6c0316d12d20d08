//! The section of one endpoint.

use serde_json::{Value, json};
use web::API_PREFIX;

use super::{
    body::RequestBody,
    example,
    markdown::{Table, anchor, link},
    schema::{self, FieldName, Schemas},
};

/// Where an operation refers to a response that many share.
const SHARED_RESPONSE: &str = "#/components/responses/";

/// One operation of the document.
pub(super) struct OperationEntry<'a> {
    /// Method, in upper case.
    pub(super) method: &'static str,
    /// Whole path, parameters in braces.
    pub(super) path: &'a str,
    /// The operation object.
    pub(super) description: &'a Value,
}

impl<'a> OperationEntry<'a> {
    /// Returns the name of the group.
    pub(super) fn tag(&self) -> &'a str {
        self.description["tags"][0].as_str().unwrap_or_default()
    }

    /// Returns the id of the operation.
    fn id(&self) -> &'a str {
        self.description["operationId"].as_str().unwrap_or_default()
    }

    /// Returns the summary, which is the heading of the section.
    pub(super) fn summary(&self) -> &'a str {
        self.description["summary"].as_str().unwrap_or_default()
    }

    /// Returns the path below the prefix of all endpoints.
    pub(super) fn short_path(&self) -> &'a str {
        self.path.strip_prefix(API_PREFIX).unwrap_or(self.path)
    }

    /// Returns the body, if the endpoint takes one.
    pub(super) fn body(&self) -> Option<RequestBody<'a>> {
        let content = self.description["requestBody"]["content"].as_object()?;
        let (media_type, media) = content.iter().next()?;
        Some(RequestBody {
            media_type,
            schema: &media["schema"],
        })
    }

    /// Returns who may call the endpoint, in a few words.
    pub(super) fn caller(&self) -> String {
        if self.description["x-requires-account-key"] == true {
            return "account key".to_owned();
        }
        let schemes = self.description["security"].as_array();
        if let Some(role) = self.description["x-required-role"].as_str() {
            let is_optional = schemes.is_some_and(|schemes| schemes.contains(&json!({})));
            let token = if is_optional {
                " or a confirm token"
            } else {
                ""
            };
            return format!("{role}{token}");
        }

        let first = schemes.and_then(|schemes| schemes.first()?.as_object()?.keys().next());
        match first.map(String::as_str) {
            Some("signed_url") => "signed URL".to_owned(),
            Some(_) => "any key".to_owned(),
            None => "anonymous".to_owned(),
        }
    }

    /// Returns who may call the endpoint, in a phrase.
    fn caller_in_full(&self) -> String {
        let caller = self.caller();
        let Some(role) = self.description["x-required-role"].as_str() else {
            return caller;
        };
        let rest = caller.strip_prefix(role).unwrap_or_default();
        format!("key with the role `{role}` or higher{rest}")
    }

    /// Returns the section of the endpoint.
    pub(super) fn section(&self, schemas: &Schemas<'a>) -> String {
        let tier = self.description["x-rate-limit-tier"].as_str();
        let head = format!(
            "\n### {}\n\n`{} {}`\n\nCaller: {}. Rate limit: {}.\n",
            self.summary(),
            self.method,
            self.path,
            self.caller_in_full(),
            tier.unwrap_or_default(),
        );

        let body = self.body().map(|body| body.section(self.id(), schemas));
        let parts = [
            head,
            self.parameters(schemas),
            body.unwrap_or_default(),
            self.responses(schemas),
            example::request(self, schemas),
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("\n")
    }

    fn parameters(&self, schemas: &Schemas<'a>) -> String {
        let mut table = Table::new(&["parameter", "in", "type", "required", "description"]);
        for parameter in self.description["parameters"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let schema = &parameter["schema"];
            let is_required = parameter["required"] == true;
            let name = parameter["name"].as_str().unwrap_or_default();
            let own = parameter["description"].as_str().map(str::to_owned);
            let field = FieldName {
                owner: self.id(),
                field: name,
            };
            table.row(&[
                format!("`{name}`"),
                parameter["in"].as_str().unwrap_or_default().to_owned(),
                schemas.type_text(schema),
                if is_required { "yes" } else { "" }.to_owned(),
                own.unwrap_or_else(|| schemas.description(&field, schema, None)),
            ]);
        }

        table.finish()
    }

    fn responses(&self, schemas: &Schemas<'a>) -> String {
        let mut own = Table::new(&["status", "body", "when"]);
        let mut shared: Vec<String> = Vec::new();
        for (status, response) in self.description["responses"]
            .as_object()
            .into_iter()
            .flatten()
        {
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
